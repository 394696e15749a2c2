// expect: for_each: R of reduces<R, N> is a number, smallest<T>, largest<T>, or a trivially
//   copyable struct with merge(other) (pappus/reducers.h)
#include "shop.h"

struct pair {
  int a, b;
};

void mistake(shop& in) {
  const auto a = in.s.zeros<pair>({10});
  in.s.for_each({10}, [](pappus::idx<1> i, pappus::reduces<pair> to) { to[i].a += 1; }, a);
}

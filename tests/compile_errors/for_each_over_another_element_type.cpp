// expect: for_each: a view's elements are of another type than its array's
#include "shop.h"

void mistake(shop& in) {
  const auto a = in.s.zeros<double>({10});
  in.s.for_each({10}, [](pappus::idx<1> i, pappus::writes<float> to) { to[i] = 1; }, a);
}

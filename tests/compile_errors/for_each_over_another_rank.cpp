// expect: for_each: a view has another number of dimensions than its array
#include "shop.h"

void mistake(shop& in) {
  const auto a = in.s.zeros<float, 2>({10, 10});
  in.s.for_each({10}, [](pappus::idx<1> i, pappus::writes<float> to) { to[i] = 1; }, a);
}

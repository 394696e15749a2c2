// expect: for_each: the function's first parameter is its index: idx<1>, idx<2>, .. or an integer
#include "shop.h"

void mistake(shop& in) {
  const auto a = in.s.zeros<float>({10});
  in.s.for_each({10}, [](pappus::writes<float> to) { to[0] = 1; }, a);
}

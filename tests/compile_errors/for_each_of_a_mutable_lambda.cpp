// expect: for_each: the function is called for many indices at once, so it can't be mutable
#include "shop.h"

void mistake(shop& in) {
  const auto a = in.s.zeros<float>({10});
  in.s.for_each(
      {10}, [calls = 0](pappus::idx<1> i, pappus::writes<float> to) mutable { to[i] = ++calls; },
      a);
}

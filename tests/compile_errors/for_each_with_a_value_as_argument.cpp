// expect: for_each: after the function come its arrays; other values are captured
#include "shop.h"

void mistake(shop& in) {
  in.s.for_each({10}, [](pappus::idx<1> i, pappus::writes<float> to) { to[i] = 1; }, 3.0F);
}

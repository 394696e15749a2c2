// expect: for_each: there must be as many arrays as the function has views
#include "shop.h"

void mistake(shop& in) {
  const auto a = in.s.zeros<float>({10});
  in.s.for_each(
      {10},
      [](pappus::idx<1> i, pappus::reads<float> from, pappus::writes<float> to) {
        to[i] = from[i];
      },
      a);
}

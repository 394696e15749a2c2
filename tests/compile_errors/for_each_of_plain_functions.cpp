#include "shop.h"

void add_one(int i, pappus::updates<float> to) { to[i] += 1; }

void works(shop& in) {
  const auto a = in.s.zeros<float>({10});
  in.s.for_each({10}, pappus::fn<add_one>, a);
  in.s.for_each({10}, pappus::annotated(pappus::fn<add_one>, "a: global i => readwrite a[i]"), a);
}

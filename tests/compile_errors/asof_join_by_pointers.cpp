// expect: asof_join: what a key function returns isn't a key: keys are integers, enums, floats
#include "shop.h"

void mistake(shop& in) {
  const auto key = [](const item& x) { return &x; };
  auto joined = in.items.asof_join(in.items, key, key, &item::weight, &item::weight,
                                   [](const item& x, const item*) { return x.id; });
}

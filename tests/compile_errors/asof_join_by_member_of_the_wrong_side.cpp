// expect: asof_join: a function of times can't be called with one const record
#include "shop.h"

void mistake(shop& in) {
  auto joined = in.items.asof_join(in.sales, &sale::price, &sale::price,
                                   [](const item& x, const sale*) { return x.id; });
}

// expect: range_join: a function of bounds or points can't be called with one const record
#include "shop.h"

void mistake(shop& in) {
  auto joined = in.items.range_join(in.sales, &item::id, &item::id, &item::id,
                                    [](const item& x, const sale&) { return x.id; });
}

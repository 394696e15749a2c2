// expect: right_join: a key function can't be called with one const record
#include "shop.h"

void mistake(shop& in) {
  auto joined = in.sales.right_join(in.items, &item::id, &item::id,
                                    [](const sale*, const item& x) { return x; });
}

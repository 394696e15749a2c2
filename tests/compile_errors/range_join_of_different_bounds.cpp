// expect: range_join: bounds and points must have the same type: convert some in their
//         function
#include "shop.h"

void mistake(shop& in) {
  auto joined = in.items.range_join(in.items, &item::id, &item::weight, &item::id,
                                    [](const item& x, const item&) { return x.id; });
}

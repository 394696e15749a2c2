// expect: range_join: the keys of both sides must have the same type: convert one of them in
//         its key function
#include "shop.h"

void mistake(shop& in) {
  auto joined = in.items.range_join(in.items, &item::id, &item::weight, &item::id, &item::id,
                                    &item::id, [](const item& x, const item&) { return x.id; });
}

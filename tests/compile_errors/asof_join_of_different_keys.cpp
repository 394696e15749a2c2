// expect: asof_join: the keys of both sides must have the same type: convert one of them in
//         its key function
#include "shop.h"

void mistake(shop& in) {
  auto joined = in.items.asof_join(in.items, &item::id, &item::weight, &item::weight, &item::weight,
                                   [](const item& x, const item*) { return x.id; });
}

// expect: asof_join: the times of both sides must have the same type: convert one of
//         them in its function
#include "shop.h"

void mistake(shop& in) {
  auto joined = in.sales.asof_join(in.items, &sale::product, &item::id, &sale::price, &item::weight,
                                   [](const sale& x, const item*) { return x.price; });
}

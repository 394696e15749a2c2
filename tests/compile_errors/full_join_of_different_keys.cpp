// expect: full_join: the keys of both sides must have the same type: convert one of them in its key
//         function
#include "shop.h"

void mistake(shop& in) {
  auto joined = in.sales.full_join(in.items, &sale::product, &item::weight,
                                   [](const sale* x, const item*) { return x != nullptr; });
}

// expect: asof_join: the combining function can't be called with a record of each side:
//         expected (const T&, const U*): the pointer is null where there is no match
#include "shop.h"

void mistake(shop& in) {
  auto joined = in.items.asof_join(in.items, &item::id, &item::id, &item::weight, &item::weight,
                                   [](const item& x, const item&) { return x.id; });
}

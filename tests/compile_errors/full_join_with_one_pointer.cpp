// expect: full_join: the combining function can't be called with a record of each side: expected
//         (const T*, const U*): a pointer is null where there is no match
#include "shop.h"

void mistake(shop& in) {
  auto joined = in.sales.full_join(in.items, &sale::product, &item::id,
                                   [](const sale& x, const item*) { return x; });
}

// expect: right_join: the combining function can't be called with a record of each side: expected
//         (const T*, const U&): the pointer is null where there is no match
#include "shop.h"

void mistake(shop& in) {
  auto joined = in.sales.right_join(in.items, &sale::product, &item::id,
                                    [](const sale& x, const item&) { return x; });
}

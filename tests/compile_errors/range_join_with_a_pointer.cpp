// expect: range_join: the combining function can't be called with a record of each side:
//         expected (const T&, const U&)
#include "shop.h"

void mistake(shop& in) {
  auto joined = in.items.range_join(in.items, &item::id, &item::id, &item::id,
                                    [](const item& x, const item*) { return x.id; });
}

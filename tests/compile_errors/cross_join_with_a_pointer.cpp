// expect: cross_join: the combining function can't be called with a record of each side:
//         expected (const T&, const U&)
#include "shop.h"

void mistake(shop& in) {
  auto joined = in.items.cross_join(in.sales, [](const item& x, const sale*) { return x.id; });
}

// expect: join: the combining function can't be called with a record of each side: expected (const
//         T&, const U&)
#include "shop.h"

void mistake(shop& in) {
  auto joined =
      in.sales.join(in.items, &sale::product, &item::id, [](const sale& x) { return x.price; });
}

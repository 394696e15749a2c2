// expect: join: a key function can't be called with one const record: expected a parameter of type
//         T or const T&
#include "shop.h"

void mistake(shop& in) {
  auto joined = in.sales.join(in.items, &item::id, &sale::product,
                              [](const sale& x, const item&) { return x; });
}

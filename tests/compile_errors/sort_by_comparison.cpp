// expect: sort_by: a key function can't be called with one const record: expected a parameter of
//         type T or const T&
#include "shop.h"

void mistake(shop& in) {
  auto sorted = in.sales.sort_by([](const sale& x, const sale& y) { return x.price < y.price; });
}

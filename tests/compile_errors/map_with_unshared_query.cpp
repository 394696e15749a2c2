// expect: map: after the function expected shared data, as q.shared() makes of a query
#include "shop.h"

void mistake(shop& in) {
  auto result =
      in.sales.map([](const sale& x, std::span<const item>) { return x.price; }, in.items);
}

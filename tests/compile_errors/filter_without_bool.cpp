// expect: filter: the predicate must return bool
#include "shop.h"

void mistake(shop& in) {
  auto result = in.sales.filter([](const sale& x) { return x.buyer; });
}

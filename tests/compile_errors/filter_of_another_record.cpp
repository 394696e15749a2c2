// expect: filter: the predicate can't be called with one const record: expected a parameter of type
//         T or const T&
#include "shop.h"

void mistake(shop& in) {
  auto n = in.sales.filter([](const item& x) { return x.weight > 3; }).count();
}

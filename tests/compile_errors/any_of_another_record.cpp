// expect: any: the predicate can't be called with one const record: expected a parameter of type T
//         or const T&
#include "shop.h"

void mistake(shop& in) {
  bool heavy = in.sales.any([](const item& x) { return x.weight > 9; });
}

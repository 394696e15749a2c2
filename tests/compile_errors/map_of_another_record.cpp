// expect: map: the function can't be called with one const record: expected a parameter of type T
//         or const T&
#include "shop.h"

void mistake(shop& in) {
  in.sales.map([](const item& x) { return x.weight; }).sum().get();
}

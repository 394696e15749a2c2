// expect: flat_map: the function must return a range of records, such as a std::vector
#include "shop.h"

void mistake(shop& in) {
  auto result = in.sales.flat_map([](const sale& x) { return x.product; }).count();
}

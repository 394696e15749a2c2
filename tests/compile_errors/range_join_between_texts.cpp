// expect: range_join: bounds and points must be numbers, pappus::dates or
//         pappus::timestamps, or std::optionals of such
#include "shop.h"

void mistake(shop& in) {
  auto joined = in.sales.range_join(in.sales, &sale::buyer, &sale::buyer, &sale::buyer,
                                    [](const sale& x, const sale&) { return x.price; });
}

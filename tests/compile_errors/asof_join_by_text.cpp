// expect: asof_join: a time must be a number, a pappus::date or a pappus::timestamp, or a
//         std::optional of one
#include "shop.h"

void mistake(shop& in) {
  auto joined = in.sales.asof_join(in.sales, &sale::buyer, &sale::buyer,
                                   [](const sale& x, const sale*) { return x.price; });
}

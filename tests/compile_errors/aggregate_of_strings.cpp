// expect: aggregate: sum takes what has operator+=, mean and variance numbers
#include "shop.h"

void mistake(shop& in) {
  auto found = in.sales.group_by(&sale::product)
                   .aggregate(pappus::mean(&sale::buyer), pappus::count())
                   .collect();
}

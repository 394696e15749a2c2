// expect: aggregate: sum takes what has operator+=, mean and variance numbers
#include "shop.h"

void mistake(shop& in) {
  in.sales.aggregate(pappus::approx_quantile(0.5, &sale::buyer), pappus::count()).get();
}

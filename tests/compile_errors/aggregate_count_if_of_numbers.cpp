// expect: approx_count_distinct keys, count_if a bool
#include "shop.h"

void mistake(shop& in) {
  auto found = in.sales.aggregate(pappus::count_if(&sale::price), pappus::count()).get();
}

// expect: aggregate: a projection can't be called with one const record
#include "shop.h"

void mistake(shop& in) {
  auto found = in.sales.aggregate(pappus::sum(&item::weight), pappus::count()).get();
}

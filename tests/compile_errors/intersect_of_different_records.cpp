// expect: intersect: both collections must hold the same record type
#include "shop.h"

void mistake(shop& in) {
  auto products = in.sales.map(&sale::product).intersect(in.items.map(&item::weight)).count();
}

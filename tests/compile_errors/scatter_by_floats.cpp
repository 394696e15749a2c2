// expect: scatter: the index function must return an integer, the place of its record
#include "shop.h"

void mistake(shop& in) {
  auto products = in.sales.scatter(&sale::price, &sale::product, 100).sum();
}

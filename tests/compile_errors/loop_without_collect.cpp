// expect: a query has no rows before it runs: call collect() first
#include "shop.h"

void mistake(shop& in) {
  for (const sale& x : in.sales) std::cout << x.price;
}

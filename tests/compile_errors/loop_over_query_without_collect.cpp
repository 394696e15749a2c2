// expect: a query has no rows before it runs: call collect() first
#include "shop.h"

void mistake(shop& in) {
  for (double x : in.sales.map(&sale::price)) std::cout << x;
}

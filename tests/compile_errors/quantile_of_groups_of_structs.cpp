// expect: quantile: the values aren't numbers: give a projection, as in
//   quantile(0.95, &sale::price)
#include "shop.h"

void mistake(shop& in) { in.sales.group_by(&sale::buyer).quantile(0.95); }

// expect: run: expected values, as in s.run(sales.count(), sales.mean(&sale::price))
#include "shop.h"

void mistake(shop& in) { in.s.run(in.sales.count(), in.sales.sort_by(&sale::product)); }

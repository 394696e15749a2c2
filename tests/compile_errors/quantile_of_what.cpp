// expect: quantile: expected p first, as in quantile(0.95, &sale::price)
#include "shop.h"

void mistake(shop& in) { double most = in.sales.quantile(&sale::price, 0.95); }

// expect: min: the values have no operator<: give a projection, as in min(&sale::price)
#include "shop.h"

void mistake(shop& in) { sale least = in.sales.min(); }

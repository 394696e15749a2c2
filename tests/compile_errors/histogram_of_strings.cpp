// expect: histogram: the values aren't numbers: give a projection, as in
//         histogram(10, 0, 100, &sale::price)
#include "shop.h"

void mistake(shop& in) { in.sales.histogram(10, 0, 100, &sale::buyer).show(); }

// expect: plot: the function of x can't be called with one const record
#include "shop.h"

void mistake(shop& in) { in.sales.plot("sales.svg", &item::weight, &sale::price); }

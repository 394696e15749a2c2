// expect: median: the values aren't numbers: give a projection, as in median(&sale::price)
#include "shop.h"

void mistake(shop& in) { double middle = in.sales.median(&sale::buyer); }

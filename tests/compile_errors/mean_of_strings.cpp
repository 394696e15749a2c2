// expect: mean: the values aren't numbers: give a projection, as in mean(&sale::price)
#include "shop.h"

void mistake(shop& in) { double average = in.sales.mean(&sale::buyer); }

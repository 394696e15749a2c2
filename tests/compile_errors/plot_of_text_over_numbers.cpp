// expect: plot: y must be a function of a record that returns numbers
#include "shop.h"

void mistake(shop& in) { in.sales.plot("sales.svg", &sale::price, &sale::buyer); }

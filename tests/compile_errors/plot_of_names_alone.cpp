// expect: plot: names need a y, such as counts: value_counts() makes them
#include "shop.h"

void mistake(shop& in) { in.sales.plot("buyers.svg", &sale::buyer); }

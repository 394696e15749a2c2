// expect: a query has no rows before it runs: call collect() first
#include "shop.h"

void mistake(shop& in) { pappus::records<double> prices = in.sales.map(&sale::price); }

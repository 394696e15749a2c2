// expect: aggregate: expected what to compute, as in aggregate(mean(&sale::price), count())
#include "shop.h"

void mistake(shop& in) { auto found = in.sales.group_by(&sale::product).aggregate(&sale::price); }

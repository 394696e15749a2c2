// expect: over: a projection can't be called with one const record
#include "shop.h"

void mistake(shop& in) { in.sales.group_by(&sale::buyer).over(pappus::lag(&item::id)).show(); }

// expect: over: expected what to compute, as in over(lag(&sale::at), row_number())
#include "shop.h"

void mistake(shop& in) { in.sales.group_by(&sale::buyer).over(&sale::price).show(); }

// expect: concat: all collections must hold the same record type
#include "shop.h"

void mistake(shop& in) { auto all = in.sales.concat(in.items); }

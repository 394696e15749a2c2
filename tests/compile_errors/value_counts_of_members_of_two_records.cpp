// expect: value_counts: a projection can't be called with one const record
#include "shop.h"

void mistake(shop& in) { in.sales.value_counts(&sale::buyer, &item::id).show(); }

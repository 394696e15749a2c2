// expect: value_counts: the projection can't be called with one const record
#include "shop.h"

void mistake(shop& in) { in.sales.value_counts(&item::id).show(); }

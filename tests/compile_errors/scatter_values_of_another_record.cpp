// expect: scatter: the value function can't be called with one const record
#include "shop.h"

void mistake(shop& in) { auto weights = in.sales.scatter(&sale::product, &item::weight, 100, 5); }

// expect: scatter: the index function can't be called with one const record
#include "shop.h"

void mistake(shop& in) { auto sales = in.sales.scatter(&item::id, 100).collect(); }

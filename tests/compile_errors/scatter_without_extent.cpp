// expect: scatter: after the functions expected how many records the result has, as in
//         scatter(&row::index, 100)
#include "shop.h"

void mistake(shop& in) { auto weights = in.items.scatter(&item::id, &item::weight).sum(); }

// expect: top: of groups expected a key, as in top(3, &sale::price)
#include "shop.h"

void mistake(shop& in) { in.sales.group_by(&sale::product).top(3).show(); }

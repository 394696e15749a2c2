// expect: describe: the values aren't numbers: give a projection, as in describe(&sale::price)
#include "shop.h"

void mistake(shop& in) { in.sales.group_by(&sale::product).describe().show(); }

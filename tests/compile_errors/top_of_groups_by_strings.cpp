// expect: top: what the key function returns isn't a key of groups' records: these are numbers
#include "shop.h"

void mistake(shop& in) { in.sales.group_by(&sale::product).top(3, &sale::buyer).show(); }

// expect: take_while: the function must return a bool
#include "shop.h"

void mistake(shop& in) { in.sales.take_while(&sale::buyer).show(); }

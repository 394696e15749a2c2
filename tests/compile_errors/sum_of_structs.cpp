// expect: sum: the values have no operator+=: give a projection, as in sum(&sale::price)
#include "shop.h"

void mistake(shop& in) { std::cout << in.sales.sum(); }

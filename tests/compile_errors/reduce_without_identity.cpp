// expect: reduce: an operator needs its identity first, as in reduce(0, op)
#include "shop.h"

void mistake(shop& in) { std::cout << in.sales.map(&sale::product).reduce(std::plus<>{}); }

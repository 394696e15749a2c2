// expect: a query has no rows before it runs: call collect().to_vector()
#include "shop.h"

void mistake(shop& in) { std::vector<sale> all = in.sales; }

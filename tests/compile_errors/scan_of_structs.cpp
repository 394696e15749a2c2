// expect: inclusive_scan: the operator can't be called with two records
#include "shop.h"

void mistake(shop& in) { auto running = in.sales.inclusive_scan(std::plus<>{}); }

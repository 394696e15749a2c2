// expect: reduce: the operator can't be called with a total and a record, or with two totals;
//         totals have the type of the identity
#include "shop.h"

void mistake(shop& in) { auto total = in.sales.reduce(0.0, std::plus<>{}); }

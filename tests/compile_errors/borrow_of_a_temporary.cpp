// expect: borrow: a temporary is gone before the query runs: give it a name, or use from()
#include "shop.h"

void mistake(shop& in) { auto result = in.s.borrow(std::vector<sale>{{1, 2.0, "Ada"}}).count(); }

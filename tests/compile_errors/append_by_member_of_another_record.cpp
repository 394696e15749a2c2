// expect: append_by: the key function can't be called with one const record
#include "shop.h"

struct other {
  int region;
};

void mistake(shop& in) { in.sales.append_by(&other::region, "{}.csv"); }

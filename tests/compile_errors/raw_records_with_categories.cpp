// expect: raw: a pappus::category is a code of one process, which says nothing in another: use csv
//         or parquet for text
#include "shop.h"

struct visit {
  pappus::category buyer;
  int page;
};

void mistake(shop& in) { in.s.raw<visit>("visits.raw").show(); }

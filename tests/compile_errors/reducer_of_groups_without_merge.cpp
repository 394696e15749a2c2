// expect: reduce: the reducer has no void merge(const R&), which adds another's records
#include "shop.h"

void mistake(shop& in) {
  struct count {
    int n = 0;
    void accumulate(const sale&) { ++n; }
  };
  auto n = in.sales.group_by(&sale::product).reduce<count>().collect();
}

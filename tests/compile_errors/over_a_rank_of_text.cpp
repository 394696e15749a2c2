// expect: over: lag and lead take what can be a record, rank and dense_rank keys that are numbers
#include "shop.h"

void mistake(shop& in) {
  in.sales.group_by(&sale::product).over(pappus::rank(&sale::buyer)).show();
}

// expect: aggregate: the struct can't be made of the results: expected a field for each of them
#include "shop.h"

struct three {
  std::int64_t n;
  double price, more;
};
void mistake(shop& in) {
  three found = in.sales.aggregate<three>(pappus::count(), pappus::sum(&sale::price)).get();
}

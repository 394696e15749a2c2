// expect: aggregate: the struct can't be made of the results: expected a field for each of them
#include "shop.h"

struct two {
  std::int64_t n;
  float price;
};
void mistake(shop& in) {
  two found = in.sales.aggregate<two>(pappus::count(), pappus::sum(&sale::price)).get();
}

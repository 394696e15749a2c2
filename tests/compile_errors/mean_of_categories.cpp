// expect: mean: the values aren't numbers: give a projection, as in mean(&sale::price)
#include "shop.h"

void mistake(shop& in) {
  const std::vector<pappus::category> buyers;
  double middle = in.s.from(buyers).mean();
}

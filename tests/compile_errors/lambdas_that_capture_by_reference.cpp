#include "shop.h"

void works(shop& in) {
  std::vector<double> factors{1, 2};
  double limit = 3;
  const double total = in.sales.map([&](const sale& x) { return x.price * factors[0]; })
                           .filter([&](double x) { return x < limit; })
                           .sum();
  std::cout << total;
}

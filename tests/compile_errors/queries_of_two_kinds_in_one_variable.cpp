#include "shop.h"

void works(shop& in, bool all) {
  const auto chosen = all ? in.sales : in.sales.filter([](const sale& x) { return x.price > 1; });
  std::cout << chosen.count();
}

#include "shop.h"

double price_of(const sale& x) { return x.price; }

void works(shop& in) {
  const double all = in.sales.map([](const auto& x) { return x.price; }).sum();
  const double same = in.sales.map(price_of).sum(),
               again = in.sales.map(pappus::fn<price_of>).sum();
  std::cout << all << same << again;
}

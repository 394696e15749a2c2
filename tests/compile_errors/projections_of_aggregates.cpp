#include "shop.h"

void works(shop& in) {
  const double total = in.sales.sum(&sale::price), least = in.sales.min(&sale::price);
  const double most = in.sales.max([](const sale& x) { return x.price; });
  const double average = in.sales.mean(&sale::price), spread = in.sales.variance(&sale::product);
  const std::string_view buyer = in.sales.first(&sale::buyer);
  std::cout << total << least << most << average << spread << buyer;
}

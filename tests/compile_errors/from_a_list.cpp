#include "shop.h"

void works(shop& in) {
  const std::int64_t six = in.s.from({1, 2, 3}).sum();
  const auto items = in.s.from({item{1, 2}, item{3, 4}}).collect();
  std::cout << six << items.size();
}

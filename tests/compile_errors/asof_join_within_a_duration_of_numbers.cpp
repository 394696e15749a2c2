// expect: asof_join: after the direction expected nothing or a tolerance: a number
#include "shop.h"

void mistake(shop& in) {
  auto joined = in.items.asof_join(
      in.items, &item::id, &item::id, &item::weight, &item::weight,
      [](const item& x, const item*) { return x.id; }, pappus::asof::nearest,
      std::chrono::seconds(1));
}

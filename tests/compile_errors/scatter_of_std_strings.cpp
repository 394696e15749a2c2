// expect: scatter: what the value function returns isn't trivially copyable, as records must be
#include "shop.h"

void mistake(shop& in) {
  auto names =
      in.items.scatter(&item::id, [](const item& x) { return std::to_string(x.weight); }, 100);
}

// expect: top: what the key function returns isn't a key: keys are integers, enums, floats,
//         std::string_view, pappus::category, or structs, pappus::pairs and std::arrays of such
//         (strings excepted) of at most 16 bytes
#include "shop.h"

void mistake(shop& in) {
  auto best = in.sales.top(3, [](const sale& x) { return std::vector{x.price}; });
}

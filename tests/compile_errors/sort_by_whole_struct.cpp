// expect: sort_by: what a key function returns isn't a key: keys are integers, enums, floats,
//         std::string_view, pappus::category, or structs, pappus::pairs and std::arrays of such
//         (strings excepted) of at most 16 bytes
#include "shop.h"

void mistake(shop& in) {
  auto sorted = in.sales.sort_by([](const sale& x) { return x; });
}

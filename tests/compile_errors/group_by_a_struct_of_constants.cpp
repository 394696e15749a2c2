// expect: group_by: what the key function returns isn't a key: keys are integers, enums, floats,
//         std::string_view, pappus::category, or structs, pappus::pairs and std::arrays of such
#include "shop.h"

struct fixed {
  const int product;
  std::int64_t a, b;
};
void mistake(shop& in) {
  auto groups = in.sales.group_by([](const sale& x) { return fixed{x.product, 1, 2}; }).count();
}

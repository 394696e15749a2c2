// expect: group_by: what a key function returns isn't a key: keys are integers, enums, floats,
//         std::string_view, pappus::category, or structs, pappus::pairs and std::arrays of such
#include "shop.h"

void mistake(shop& in) {
  auto groups =
      in.sales.group_by(&sale::product, [](const sale& x) { return std::string(x.buyer); }).count();
}

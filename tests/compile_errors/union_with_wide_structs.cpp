// expect: union_with: the record isn't a key: keys are integers, enums, floats, std::string_view,
//         pappus::category, or structs, pappus::pairs and std::arrays of such (strings excepted) of
//         at most 16 bytes
#include "shop.h"

void mistake(shop& in) {
  const auto rows = in.s.from(std::vector<wide>{});
  auto all = rows.union_with(rows).collect();
}

// expect: group_by: what the key function returns isn't a key: keys are integers, enums, floats,
//         std::string_view, pappus::category, or structs, pappus::pairs and std::arrays of such
#include "shop.h"

struct named {
  const char* name;
  int number;
};
void mistake(shop& in) {
  auto groups = in.sales.group_by([](const sale& x) { return named{"", x.product}; }).count();
}

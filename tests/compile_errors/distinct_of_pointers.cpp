// expect: distinct: the record isn't a key: keys are integers, enums, floats, std::string_view,
//         pappus::category, or structs, pappus::pairs and std::arrays of such
#include "shop.h"

struct named {
  const char* name;
  int number;
};
void mistake(shop& in) { auto different = in.s.from(std::vector<named>{}).distinct(); }

// expect: count_distinct: the value isn't a key: keys are integers, enums, floats, std::string_view
#include "shop.h"

void mistake(shop& in) {
  std::int64_t many = in.sales.count_distinct([](const sale& x) { return &x; });
}

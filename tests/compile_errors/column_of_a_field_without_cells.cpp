// expect: column: a field must be an integer, float, double, bool, std::string_view,
//         pappus::category, pappus::date, pappus::timestamp, or a std::optional, a std::array or a
//         pappus::list of these
#include "shop.h"

void mistake(shop& in) {
  struct basket {
    item first;
  };
  auto first = pappus::column("first", &basket::first);
}

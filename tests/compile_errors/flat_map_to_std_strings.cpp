// expect: flat_map: an element of what the function returns isn't trivially copyable, as records
//         must be: use std::string_view or std::array<char, N> for std::string, pappus::pair for
//         std::pair, std::array for std::vector
#include "shop.h"

void mistake(shop& in) {
  auto result = in.sales.flat_map([](const sale&) { return std::vector<std::string>{}; });
}

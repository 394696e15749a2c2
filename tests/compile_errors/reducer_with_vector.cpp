// expect: reduce: the reducer isn't trivially copyable, as records must be: use std::string_view or
//         std::array<char, N> for std::string, pappus::pair for std::pair, std::array for
//         std::vector
#include "shop.h"

void mistake(shop& in) {
  struct gather {
    std::vector<sale> all;
    void accumulate(const sale& x) { all.push_back(x); }
    void merge(const gather&) {}
  };
  auto all = in.sales.reduce(gather{});
}

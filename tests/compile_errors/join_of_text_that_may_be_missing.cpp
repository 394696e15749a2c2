// expect: join: a key of text can't be a std::optional: leave out the records without one by
//         filter(), and return the std::string_view
#include <optional>

#include "shop.h"

void mistake(shop& in) {
  auto buyer = [](const sale& one) -> std::optional<std::string_view> { return one.buyer; };
  auto pairs = in.sales.join(in.sales, buyer, buyer, [](const sale&, const sale& b) { return b; });
}

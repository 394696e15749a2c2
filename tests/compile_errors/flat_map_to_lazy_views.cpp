#include "shop.h"

// Neither view can be iterated where it is const.
void works(shop& in) {
  const auto words =
      in.sales.flat_map([](const sale& x) { return std::views::split(x.buyer, ' '); })
          .map([](const auto& word) { return std::string_view(word.begin(), word.end()); });
  const auto capitals = in.sales.flat_map(
      [](const sale& x) { return std::views::filter(x.buyer, [](char c) { return c < 'a'; }); });
  std::cout << words.group_by(std::identity{}).count().collect().size() << capitals.count();
}

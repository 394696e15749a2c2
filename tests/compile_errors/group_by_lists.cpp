// expect: group_by: what the key function returns isn't a key: keys are integers, enums, floats,
//         std::string_view, pappus::category, or structs, pappus::pairs and std::arrays of such
#include "shop.h"

struct article {
  std::int64_t id;
  pappus::list<std::string_view> tags;
};
void mistake(shop& in, const std::vector<article>& articles) {
  auto groups = in.s.from(articles).group_by(&article::tags).count();
}

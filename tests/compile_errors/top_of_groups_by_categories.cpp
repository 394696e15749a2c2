// expect: top: what the key function returns isn't a key of groups' records: these are numbers
#include "shop.h"

struct visit {
  pappus::category buyer;
  int page;
};

void mistake(shop& in) {
  const std::vector<visit> visits;
  in.s.from(visits).group_by(&visit::page).top(3, &visit::buyer).show();
}

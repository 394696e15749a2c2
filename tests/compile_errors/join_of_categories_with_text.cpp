// expect: join: the keys of both sides must have the same type: convert one of them in its key
//         function
#include "shop.h"

struct visit {
  pappus::category buyer;
};

void mistake(shop& in) {
  const std::vector<visit> visits;
  auto both = in.s.from(visits).join(in.sales, &visit::buyer, &sale::buyer,
                                     [](const visit&, const sale& x) { return x; });
}

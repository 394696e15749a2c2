// expect: aggregate: sum takes what has operator+=, mean and variance numbers, min, max, argmin and
//         argmax what has operator<
#include "shop.h"

void mistake(shop& in) {
  auto found = in.sales
                   .aggregate(pappus::argmax([](const sale& x) { return wide{x.product, 1, 2}; },
                                             &sale::product))
                   .get();
}

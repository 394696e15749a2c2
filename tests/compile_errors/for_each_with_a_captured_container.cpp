// expect: for_each: the function is copied as bytes, so what it captures must be trivially
//         copyable: capture numbers and small structs, not containers
#include "shop.h"

void mistake(shop& in) {
  const auto a = in.s.zeros<float>({10});
  const std::vector<float> weights(10, 1.0F);
  in.s.for_each(
      {10}, [weights](pappus::idx<1> i, pappus::writes<float> to) { to[i] = weights[i]; }, a);
}

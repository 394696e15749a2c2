// expect: for_each: write out the types of the function's parameters: (idx<1> i, reads<float> in,
//         writes<float> out); what is auto or overloaded has none
#include "shop.h"

void mistake(shop& in) {
  const auto a = in.s.zeros<float>({10});
  in.s.for_each({10}, [](auto i, auto to) { to[i] = 1; }, a);
}

// expect: for_each: after the index the function takes views: reads<T, N>, writes<T, N>,
//         updates<T, N>, reduces<R, N>; other values are captured
#include "shop.h"

void mistake(shop& in) {
  const auto a = in.s.zeros<float>({10});
  in.s.for_each({10}, [](pappus::idx<1> i, float* to) { to[i] = 1; }, a);
}

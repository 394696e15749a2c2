// expect: rolling: behind the window's length expected what to compute, as in
//         rolling(7, mean(&sale::price))
#include "shop.h"

void mistake(shop& in) { in.sales.rolling(7, &sale::price).show(); }

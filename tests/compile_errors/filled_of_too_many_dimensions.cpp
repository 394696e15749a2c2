// expect: filled: arrays have one to four dimensions
#include "shop.h"

void mistake(shop& in) { in.s.filled<float, 5>({1, 2, 3, 4, 5}, 1); }

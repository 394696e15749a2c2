// expect: zeros: arrays have one to four dimensions
#include "shop.h"

void mistake(shop& in) { in.s.zeros<float, 5>({1, 2, 3, 4, 5}); }

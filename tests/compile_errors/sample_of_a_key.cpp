// expect: sample: expected how many records, or which part: sample(1000) or sample(0.01)
#include "shop.h"

void mistake(shop& in) { in.sales.sample(&sale::price).show(); }

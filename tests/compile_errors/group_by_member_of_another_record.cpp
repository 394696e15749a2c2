// expect: group_by: the key function can't be called with one const record: expected a parameter of
//         type T or const T&
#include "shop.h"

void mistake(shop& in) { auto groups = in.sales.group_by(&item::id).sum(&sale::price); }

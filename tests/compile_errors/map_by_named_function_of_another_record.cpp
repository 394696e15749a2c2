// expect: map: the function can't be called with one const record: expected a parameter of type T
//         or const T&
#include "shop.h"

void mistake(shop& in) { auto result = in.sales.map(pappus::fn<&item::weight>); }

// expect: max: the projection can't be called with one const record: expected a parameter of type T
//         or const T&
#include "shop.h"

void mistake(shop& in) { auto most = in.sales.max(&item::weight); }

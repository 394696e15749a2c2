// expect: skip_while: the function can't be called with one const record
#include "shop.h"

void mistake(shop& in) {
  in.sales.skip_while([](const item& x) { return x.id > 3; }).show();
}

// expect: fprintf: a value<T> has to be converted first: give it value.get()
#include "shop.h"

void mistake(shop& in) {
  const auto n = in.sales.count();
  fprintf(stderr, "%s: %ld\n", "sales", n);
}

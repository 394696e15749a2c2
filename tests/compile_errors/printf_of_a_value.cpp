// expect: printf: a value<T> has to be converted first: give it value.get()
#include "shop.h"

void mistake(shop& in) { std::printf("%ld\n", in.sales.count()); }

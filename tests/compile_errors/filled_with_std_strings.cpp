// expect: filled: the element type isn't trivially copyable, as records must be
#include "shop.h"

void mistake(shop& in) { in.s.filled<std::string>({10}, "ten"); }

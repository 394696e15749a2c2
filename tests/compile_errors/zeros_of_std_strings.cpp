// expect: zeros: the element type isn't trivially copyable, as records must be
#include "shop.h"

void mistake(shop& in) { in.s.zeros<std::string>({10}); }

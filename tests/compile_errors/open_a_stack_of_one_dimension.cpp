// expect: open: files make a stack, which has one dimension more than the array in each
#include "shop.h"

void mistake(shop& in) { in.s.open<float>(std::vector<std::string>{"a.npy", "b.npy"}); }

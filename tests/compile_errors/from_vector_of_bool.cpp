// expect: from: the elements must lie one after another in memory, as those of std::vector,
//         std::array and std::span; std::vector<bool>, deque and list don't
#include "shop.h"

void mistake(shop& in) { auto result = in.s.from(std::vector<bool>{true, false}).count(); }

// expect: arrow: the record type isn't trivially copyable, as records must be: use
//         std::string_view or std::array<char, N> for std::string, pappus::pair for std::pair,
//         std::array for std::vector
#include "shop.h"

void mistake(shop& in) { auto orders = in.s.arrow<order>("orders.arrow"); }

// expect: sort: the record isn't a key: keys are integers, enums, floats, std::string_view,
//         pappus::category, or structs, pappus::pairs and std::arrays of such (strings excepted) of
//         at most 16 bytes; use sort_by(key) for other records
#include "shop.h"

void mistake(shop& in) { auto sorted = in.sales.sort(); }

// expect: except: the record isn't a key: keys are integers, enums, floats, std::string_view,
//         pappus::category, or structs, pappus::pairs and std::arrays of such (strings excepted) of
//         at most 16 bytes
#include "shop.h"

void mistake(shop& in) { auto others = in.sales.except(in.sales).sort_by(&sale::price); }

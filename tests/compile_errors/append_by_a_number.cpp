// expect: append_by: a key that names a file must be a std::string_view, a pappus::category, an
//         integer, an enum, a bool or a pappus::date
#include "shop.h"

void mistake(shop& in) { in.sales.append_by(&sale::price, "{}.csv"); }

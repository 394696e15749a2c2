// expect: group_by: after the key expected nothing, domain{k} or shared data, q.shared(); a key of
//         several fields is a function that returns a struct or pappus::pair
#include "shop.h"

void mistake(shop& in) { auto groups = in.sales.group_by(&sale::product, &sale::price).count(); }

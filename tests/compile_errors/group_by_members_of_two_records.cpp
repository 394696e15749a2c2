// expect: group_by: after the key expected nothing, further keys, or domain{k} or shared data,
//         q.shared()
#include "shop.h"

void mistake(shop& in) { auto groups = in.sales.group_by(&sale::product, &item::weight).count(); }

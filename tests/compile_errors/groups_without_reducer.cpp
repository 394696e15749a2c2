// expect: group_by: groups aren't records: say what is computed of each: count(), sum(projection),
//         ..., reduce<R>(), or map_groups(f)
#include "shop.h"

void mistake(shop& in) { auto groups = in.sales.group_by(&sale::product).collect(); }

// Compiled with -march=x86-64-v4; see kernels.h for what may be here.
#if defined(PAPPUS_LEVELS)
#include "levels/tables.h"
#include "levels/unit/table.h"

namespace pappus::levels {

const kernels kernels_v4 = table;

}  // namespace pappus::levels

#endif

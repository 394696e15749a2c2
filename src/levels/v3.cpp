// Compiled with -march=x86-64-v3; see kernels.h for what may be here.
#if defined(PAPPUS_LEVELS)
#include "levels/tables.h"
#include "levels/unit/table.h"

namespace pappus::levels {

const kernels kernels_v3 = table;

}  // namespace pappus::levels

#endif

// Compiled with -march=x86-64-v2, or for the one level of other machines; see kernels.h for what
// may be here.
#include "levels/tables.h"
#include "levels/unit/table.h"

namespace pappus::levels {

const kernels kernels_v2 = table;

}  // namespace pappus::levels

// Compiled with fast floats: bench/CMakeLists.txt.
#include "system/floats.h"

namespace pappus::bench::floats {

bool fast_is_granted() {
#ifdef PAPPUS_FAST_FLOATS
  return true;
#else
  return false;
#endif
}

template query price_all<fast>(session&, std::span<const quote>);
template query measure_all<fast>(session&, std::span<const trip>);
template query assign_all<fast>(session&, std::span<const place>, std::span<const place>);

}  // namespace pappus::bench::floats

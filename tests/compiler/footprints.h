// Gives functions of an index and views slots, as launches do (thunks.h).
#pragma once

#include "pappus/detail/fuse/footprint_thunk.h"

namespace thunks {

/// launched<2, pappus::reads<float, 2>, ..>([](pappus::idx<2> i, pappus::reads<float, 2> in, ..)).
template <std::size_t N, typename... Views, typename F>
auto* launched(F) {
  using namespace pappus::detail;
  return &slot_of<footprint_thunk<F, std::make_index_sequence<N>, Views...>, F>::slot;
}

}  // namespace thunks

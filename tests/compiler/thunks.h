// Gives functions slots, as the operators' headers do, so that a test of the plugin is a list of
// lambdas.
// Programs that define PAPPUS_RUN_LAMBDAS run the lambdas instead.
#pragma once

#ifdef PAPPUS_RUN_LAMBDAS
#include "compiler/run_lambdas.h"
#else

#include <cstdint>
#include <vector>

#include "pappus/detail/fuse/thunk.h"

namespace thunks {

using namespace pappus::detail;

/// element<Out, In...>([](In...) { .. }): what map calls.
template <typename Out, typename... In, typename F>
auto* element(F) {
  using thunk = call_thunk<F, Out, keep_result, input_list<In...>, side_list<>>;
  return &slot_of<thunk, F>::slot;
}

/// The same; the rows are what programs that run it give it.
template <typename Out, typename In, typename F>
auto* element(F f, const std::vector<In>&) {
  return element<Out, In>(f);
}

/// with_side<Out, In, Side>([](In, std::span<const Side>) { .. }): map(.., other.shared()).
template <typename Out, typename In, typename Side, typename F>
auto* with_side(F) {
  using thunk = call_thunk<F, Out, keep_result, input_list<In>, side_list<Side>>;
  return &slot_of<thunk, F>::slot;
}

/// batch<Out, In, Sides...>([](std::span<const In>, std::span<const Sides>..., std::span<Out>) {}):
/// map(batched<Out>(..), other.shared()...).
template <typename Out, typename In, typename... Sides, typename F>
auto* batch(F) {
  return &slot_of<batch_thunk<F, Out, In, Sides...>, F>::slot;
}

/// reducer<R, T>(): what fold calls.
template <typename R, typename T>
auto* reducer() {
  return &slot_of<accumulate_thunk<R, T>, R>::slot;
}

}  // namespace thunks

#endif

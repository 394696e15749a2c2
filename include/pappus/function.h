// Ways to hand a function to an operator.
#pragma once

#include <functional>
#include <type_traits>
#include <utility>

namespace pappus {

/// `fn<nearest>`: a named function as an object. A plain function pointer hides its target from the
/// inliner; this keeps it visible, so the loop over it vectorises and can be compiled for devices.
template <auto Function>
struct fn_type {
  template <typename... Args>
    requires std::is_invocable_v<const decltype(Function)&, Args...>
  constexpr decltype(auto) operator()(Args&&... args) const {
    // A direct call: std::invoke would be one more layer to inline, and vectorisers give up early.
    if constexpr (std::is_member_pointer_v<decltype(Function)>)
      return std::invoke(Function, std::forward<Args>(args)...);
    else
      return Function(std::forward<Args>(args)...);
  }
};
template <auto Function>
inline constexpr fn_type<Function> fn{};

/// `batched(f)`: f handles a block of records in one call, `f(std::span<const In>, sides...,
/// std::span<Out>)`, and writes exactly one output per input. For functions that are faster on many
/// records at once, such as hand-vectorised ones. The outputs aren't initialised before. Results
/// must not depend on how rows are cut into blocks: devices call f with one record.
template <typename Out, typename F>
struct batched_function {
  using output_type = Out;
  F function;
};
template <typename Out, typename F>
batched_function<Out, F> batched(F function) {
  return {std::move(function)};
}

}  // namespace pappus

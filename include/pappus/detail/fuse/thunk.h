// Users' functions in the shape that the compiler plugin reads: one call each, all parameters
// pointers and row counts. Nothing calls a thunk; only its slot is looked at
// (detail/base/compiled.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <new>
#include <span>
#include <type_traits>
#include <utility>

#include "pappus/detail/base/compiled.h"
#include "pappus/detail/base/layout.h"

namespace pappus::detail {

/// The types of a function's record parameters: T for a record, const T* for one that may be null.
template <typename... In>
struct input_list {};
/// The record types of the shared collections that follow, and the number of the first of them
/// among the stage's sides.
template <typename... Sides>
struct side_list {
  int first = 0;
};

template <typename T>
using thunk_pointer = std::conditional_t<std::is_pointer_v<T>, T, const T*>;
template <typename>
using thunk_count = std::int64_t;

template <typename T>
constexpr thunk_parameter parameter_of(thunk_parameter::role what) {
  return {what, static_cast<std::int32_t>(alignof(T)), static_cast<std::int64_t>(sizeof(T))};
}
template <typename T>
constexpr thunk_parameter input_parameter() {
  using role = thunk_parameter::role;
  using row = std::remove_const_t<std::remove_pointer_t<T>>;
  return parameter_of<row>(std::is_pointer_v<T> ? role::match : role::input);
}

template <typename T>
decltype(auto) thunk_value(thunk_pointer<T> from) {
  if constexpr (std::is_pointer_v<T>)
    return from;
  else
    return static_cast<const T&>(*from);
}

/// What a thunk does with the function's result: keeps it, counts a range's elements, or picks one.
struct keep_result {
  template <typename Out, typename R>
  static void put(Out* out, R&& result) {
    ::new (static_cast<void*>(out)) Out(static_cast<Out>(std::forward<R>(result)));
  }
};
struct count_results {
  template <typename R>
  static void put(std::int64_t* out, R&& range) {
    std::int64_t n = 0;
    for (auto at = std::begin(range); at != std::end(range); ++at) ++n;
    *out = n;
  }
};
struct pick_result {
  template <typename Out, typename R>
  static void put(std::int64_t index, Out* out, R&& range) {
    auto at = std::begin(range);
    for (; index > 0; --index) ++at;
    ::new (static_cast<void*>(out)) Out(*at);
  }
};

template <typename F, typename Out, typename Use, typename Inputs, typename Sides,
          typename Index = input_list<>>
struct call_thunk;

/// \tparam Use    keep_result, count_results or pick_result.
/// \tparam Index  std::int64_t for pick_result, else nothing.
template <typename F, typename Out, typename Use, typename... In, typename... Sides,
          typename... Index>
struct call_thunk<F, Out, Use, input_list<In...>, side_list<Sides...>, input_list<Index...>> {
  static void run(const F* f, thunk_pointer<In>... in, const Sides*... side,
                  thunk_count<Sides>... count, Index... index, Out* out) {
    Use::put(index..., out,
             std::invoke(*f, thunk_value<In>(in)...,
                         std::span<const Sides>(side, static_cast<std::size_t>(count))...));
  }
  using role = thunk_parameter::role;
  static constexpr thunk_parameter parameters[] = {
      {role::captures, alignof(F), std::is_empty_v<F> ? 0 : sizeof(F)},
      input_parameter<In>()...,
      parameter_of<Sides>(role::side)...,
      parameter_of<thunk_count<Sides>>(role::count)...,
      parameter_of<Index>(role::index)...,
      parameter_of<Out>(role::output)};
};

/// Calls a batched function with a block of one record.
template <typename F, typename Out, typename In, typename... Sides>
struct batch_thunk : call_thunk<F, Out, keep_result, input_list<In>, side_list<Sides...>> {
  static void run(const F* f, const In* in, const Sides*... side, thunk_count<Sides>... count,
                  Out* out) {
    std::invoke(*f, std::span<const In>(in, 1),
                std::span<const Sides>(side, static_cast<std::size_t>(count))...,
                std::span<Out>(out, 1));
  }
};

/// Calls a reducer's accumulate().
template <typename R, typename T>
struct accumulate_thunk {
  static void run(const T* value, R* state) { state->accumulate(*value); }
  using role = thunk_parameter::role;
  static constexpr thunk_parameter parameters[] = {parameter_of<T>(role::input),
                                                   parameter_of<R>(role::state)};
};

/// The slot beside a thunk that calls a function of type F.
template <typename Thunk, typename F>
struct slot_of {
  PAPPUS_DEVICE_SLOT static inline constinit device_slot<decltype(Thunk::run)> slot{
      nullptr, &Thunk::run, Thunk::parameters, std::size(Thunk::parameters),
      type_spelling<F>::text.data()};
};

}  // namespace pappus::detail

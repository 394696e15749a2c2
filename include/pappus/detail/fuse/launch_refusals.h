// What arrays and for_each refuse when a program is compiled; see refusals.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

#include "pappus/detail/base/layout.h"
#include "pappus/detail/base/refused.h"
#include "pappus/detail/fuse/access.h"
#include "pappus/detail/fuse/launched.h"

namespace pappus {
template <std::size_t N>
class index_space;
template <typename Array>
struct touched_array;

namespace detail {

/// The function behind annotated(); launch.h defines it.
template <typename F>
struct with_annotation;
template <typename F>
using launched = launch_signature<typename with_annotation<F>::function>;

template <typename>
inline constexpr bool is_array = false;
template <typename T, std::size_t N>
inline constexpr bool is_array<array<T, N>> = true;
template <typename Array>
inline constexpr bool is_array<touched_array<Array>> = true;

/// The array of an argument, which may say what is touched of it.
template <typename Argument>
struct argument_array {
  using type = Argument;
};
template <typename Array>
struct argument_array<touched_array<Array>> {
  using type = Array;
};

template <typename View, typename Array>
inline constexpr launch_fault view_fault = launch_fault::not_an_array;
template <view_access Access, typename V, std::size_t M, typename Check, typename T, std::size_t N>
inline constexpr launch_fault view_fault<view<Access, V, M, Check>, array<T, N>> =
    !std::is_same_v<std::remove_const_t<typename view_element<Access, V>::stored>, T>
        ? launch_fault::element_type
    : M != N ? launch_fault::dimensions
             : launch_fault::none;

template <typename... Views, typename... Arrays>
constexpr launch_fault first_fault(view_list<Views...>, view_list<Arrays...>) {
  if (!(is_array<Arrays> && ...)) return launch_fault::not_an_array;
  if constexpr (sizeof...(Views) == sizeof...(Arrays)) {
    auto found = launch_fault::none;
    ((found = found == launch_fault::none ? view_fault<Views, typename argument_array<Arrays>::type>
                                          : found),
     ...);
    return found;
  }
  return launch_fault::number_of_arrays;
}

/// What is wrong with launching a function over arrays.
template <typename F, typename... Arrays>
constexpr launch_fault launch_fault_of() {
  if (launched<F>::fault != launch_fault::none) return launched<F>::fault;
  if (!std::is_trivially_copyable_v<typename with_annotation<F>::function>)
    return launch_fault::captures;
  return first_fault(typename launched<F>::views(), view_list<Arrays...>());
}

/// Overloads that refuse, for a session.
class launch_refusals {
 public:
#define PAPPUS_REFUSED_LAUNCH(fault, sentence)                       \
  template <typename F, typename... Arrays>                          \
    requires(launch_fault_of<F, Arrays...>() == launch_fault::fault) \
  PAPPUS_REFUSED("for_each: " sentence)                              \
  void for_each(const index_space<launched<F>::rank>&, const F&, const Arrays&...) {}
  PAPPUS_REFUSED_LAUNCH(generic,
                        "write out the types of the function's parameters: (idx<1> i, reads<float> "
                        "in, writes<float> out); what is auto or overloaded has none")
  PAPPUS_REFUSED_LAUNCH(changes_captures,
                        "the function is called for many indices at once, so it can't be mutable")
  PAPPUS_REFUSED_LAUNCH(no_index,
                        "the function's first parameter is its index: idx<1>, idx<2>, .. or an "
                        "integer")
  PAPPUS_REFUSED_LAUNCH(not_a_view,
                        "after the index the function takes views: reads<T, N>, writes<T, N>, "
                        "updates<T, N>, reduces<R, N>; other values are captured")
  PAPPUS_REFUSED_LAUNCH(not_a_reducer,
                        "R of reduces<R, N> is a number, smallest<T>, largest<T>, or a trivially "
                        "copyable struct with merge(other) (pappus/reducers.h)")
  PAPPUS_REFUSED_LAUNCH(captures,
                        "the function is copied as bytes, so what it captures must be trivially "
                        "copyable: capture numbers and small structs, not containers")
  PAPPUS_REFUSED_LAUNCH(not_an_array,
                        "after the function come its arrays; other values are captured")
  PAPPUS_REFUSED_LAUNCH(number_of_arrays, "there must be as many arrays as the function has views")
  PAPPUS_REFUSED_LAUNCH(element_type, "a view's elements are of another type than its array's")
  PAPPUS_REFUSED_LAUNCH(dimensions, "a view has another number of dimensions than its array")
#undef PAPPUS_REFUSED_LAUNCH

#define PAPPUS_REFUSED_ARRAY(name, ...)                           \
  template <typename T, std::size_t N = 1>                        \
    requires(!record<T>)                                          \
  PAPPUS_REFUSED(#name ": the element type" PAPPUS_ISNT_A_RECORD) \
  refused<T> name(__VA_ARGS__) {                                  \
    return {};                                                    \
  }                                                               \
  template <typename T, std::size_t N = 1>                        \
    requires(record<T> && N > 4)                                  \
  PAPPUS_REFUSED(#name ": arrays have one to four dimensions")    \
  refused<T> name(__VA_ARGS__) {                                  \
    return {};                                                    \
  }
  PAPPUS_REFUSED_ARRAY(zeros, const idx<N>&)
  PAPPUS_REFUSED_ARRAY(filled, const idx<N>&, const T&)
  PAPPUS_REFUSED_ARRAY(unwritten, const idx<N>&)
  PAPPUS_REFUSED_ARRAY(open, const std::string&)
  PAPPUS_REFUSED_ARRAY(open, const std::vector<std::string>&)
#undef PAPPUS_REFUSED_ARRAY
  template <typename T, std::size_t N = 1>
    requires(record<T> && N < 2)
  PAPPUS_REFUSED(
      "open: files make a stack, which has one dimension more than the array in each: "
      "open<T, 3>(paths) of files of two dimensions")
  refused<T> open(const std::vector<std::string>&) {
    return {};
  }
};

}  // namespace detail
}  // namespace pappus

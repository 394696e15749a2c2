// Functions of an index and views, launched over index spaces.
//
//     s.for_each({rows, columns}, [](idx<2> p, reads<float, 2> in, writes<float, 2> out) {
//       out[p] = 2 * in[p];
//     }, in, out);
//
// The function is called once for each index, on all cores, in no particular order. What it touches
// of its arrays is known before it runs: the compiler plugin finds it (footprint.h), or annotated()
// says it. So launches run in the order of their calls only where one needs what another does, and
// mistakes are told at the call.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <source_location>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "pappus/array.h"
#include "pappus/detail/fuse/footprint_thunk.h"
#include "pappus/detail/fuse/launched.h"
#include "pappus/detail/loops/checked_launch.h"
#include "pappus/detail/loops/launch.h"
#include "pappus/reduces.h"
#include "pappus/session.h"

namespace pappus {

/// The indices of a launch: those below extents, {n, m}, or those of a box. It notes where in the
/// source it was made, for messages.
template <std::size_t N>
class index_space {
 public:
  template <detail::index_number I>
    requires(N == 1)
  index_space(I n, std::source_location where = std::source_location::current())
      : index_space(idx<1>(n), where, true) {}
  template <detail::index_number I, detail::index_number J>
    requires(N == 2)
  index_space(I n, J m, std::source_location where = std::source_location::current())
      : index_space(idx<2>(n, m), where, true) {}
  template <detail::index_number I, detail::index_number J, detail::index_number K>
    requires(N == 3)
  index_space(I n, J m, K l, std::source_location where = std::source_location::current())
      : index_space(idx<3>(n, m, l), where, true) {}
  template <detail::index_number I, detail::index_number J, detail::index_number K,
            detail::index_number L>
    requires(N == 4)
  index_space(I n, J m, K l, L h, std::source_location where = std::source_location::current())
      : index_space(idx<4>(n, m, l, h), where, true) {}
  index_space(const idx<N>& extents, std::source_location where = std::source_location::current())
    requires(N > 1)
      : index_space(extents, where, true) {}
  index_space(const box<N>& indices, std::source_location where = std::source_location::current())
      : indices_(detail::untyped(indices)), where_(where) {}

  const detail::array_box& indices() const noexcept { return indices_; }
  const std::source_location& where() const noexcept { return where_; }

 private:
  index_space(const idx<N>& extents, const std::source_location& where, bool)
      : indices_(detail::extents_of(extents)), where_(where) {}

  detail::array_box indices_;
  std::source_location where_;
};
/// Of a function whose parameters are wrong, which for_each refuses.
template <>
class index_space<0> {
 public:
  template <typename... Any>
  index_space(const Any&...) {}
};

/// A value that an annotation mentions by its name.
struct named_value {
  std::string name;
  std::int64_t is;
};

/// A function with what it touches (regions/annotation.h has the grammar):
///
///     annotated(smooth, "in, out: global i => read in[i-w:i+w], write out[i]", {{"w", w}})
///
/// It is believed, and replaces what the compiler plugin finds.
template <typename F>
struct annotated_function {
  F function;
  std::string text;
  std::vector<named_value> values;
};
template <typename F>
annotated_function<F> annotated(F function, std::string text,
                                std::vector<named_value> values = {}) {
  return {std::move(function), std::move(text), std::move(values)};
}

namespace detail {

template <typename F>
struct with_annotation {
  using function = F;
  static const F& of(const F& f) { return f; }
  static given_footprint text(const F&) { return {}; }
};
template <typename F>
struct with_annotation<annotated_function<F>> {
  using function = F;
  static const F& of(const annotated_function<F>& f) { return f.function; }
  static given_footprint text(const annotated_function<F>& f) {
    given_footprint result{f.text, {}};
    for (const auto& [name, is] : f.values) result.values.push_back({name, is});
    return result;
  }
};
/// What the compiler plugin left of a function; null: nothing.
template <typename F, std::size_t N, typename... Views>
const char* launch_descriptor() {
#ifdef __clang__
  using thunk = footprint_thunk<F, std::make_index_sequence<N>, Views...>;
  return slot_of<thunk, F>::slot.compiled;
#else
  return nullptr;
#endif
}

template <typename View>
inline constexpr array_reduction reduction_of{};
template <typename R, std::size_t N, typename Check>
inline constexpr array_reduction reduction_of<view<view_access::reduce, R, N, Check>>{
    &partial_states<R>::start,
    &partial_states<R>::merge,
    partial_states<R>::name(),
    has_lanes<view<view_access::reduce, R, N, Check>> ? &merge_lanes<R> : nullptr,
    commutes<R>(),
    &partial_states<R>::merge_at};

template <typename View, typename Array>
view_argument launch_argument(const Array& given) {
  using element = std::remove_const_t<typename View::element_type>;
  return {array_access::part(given), View::access, record_type_of<element>(),
          array_access::slices(given), reduction_of<View>};
}

template <typename F, typename... Views, typename... Arrays>
void launch_typed(const session_ptr& session, const array_box& indices,
                  const std::source_location& where, const F& f, given_footprint annotation,
                  view_list<Views...>, const Arrays&... arrays) {
  constexpr auto rank = launch_signature<F>::rank;
  constexpr bool checked = (Views::checks || ...);
  using loop = std::conditional_t<checked, checked_launch_loop_of<F, rank, Views...>,
                                  launch_loop_of<F, rank, Views...>>;
  launch(session, {.indices = indices,
                   .function = std::make_shared<F>(f),
                   .function_bytes = std::is_empty_v<F> ? 0 : sizeof(F),
                   .function_type = type_spelling<F>::text.data(),
                   .descriptor = launch_descriptor<F, rank, Views...>(),
                   .annotation = std::move(annotation),
                   .loop = &loop::run,
                   .checks_access = checked,
                   .views = {launch_argument<Views>(arrays)...},
                   .where = where});
}

}  // namespace detail

// Inlined, as the views of F need not be those of a function F in another unit, with other checks.
template <typename F, typename... Arrays>
  requires(detail::launch_fault_of<F, Arrays...>() == detail::launch_fault::none)
[[gnu::always_inline]] inline void session::for_each(
    const index_space<detail::launched<F>::rank>& indices, const F& f, const Arrays&... arrays) {
  detail::launch_typed<typename detail::with_annotation<F>::function>(
      core_, indices.indices(), indices.where(), detail::with_annotation<F>::of(f),
      detail::with_annotation<F>::text(f), typename detail::launched<F>::views(), arrays...);
}

inline void session::wait() { detail::wait_for_launches(core_); }

}  // namespace pappus

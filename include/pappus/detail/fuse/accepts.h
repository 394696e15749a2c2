// Concepts for the functions and types that operators are given.
//
// The overloads that refuse with a sentence (fuse/refusals.h) use them; the operators' templates
// themselves take anything.
#pragma once

#include <concepts>
#include <functional>
#include <iterator>
#include <ranges>
#include <span>
#include <type_traits>
#include <utility>

#include "pappus/detail/base/coded_key.h"
#include "pappus/detail/base/keys.h"
#include "pappus/detail/base/layout.h"
#include "pappus/detail/base/missing.h"
#include "pappus/detail/base/packed_key.h"
#include "pappus/function.h"

namespace pappus {
struct domain;
template <typename T>
struct shared_rows;
}  // namespace pappus

namespace pappus::detail {

template <typename F, bool Descending>
struct directed_key;  // sort_by's

template <typename F, typename... Args>
struct call_of : std::invoke_result<const F&, Args...> {
  static constexpr bool possible = std::is_invocable_v<const F&, Args...>;
};
/// For a batched function, which takes a block of T in place of a T.
template <typename Out, typename F, typename T, typename... Sides>
struct call_of<batched_function<Out, F>, const T&, Sides...> {
  using type = Out;
  static constexpr bool possible =
      std::is_invocable_v<const F&, std::span<const T>, Sides..., std::span<Out>>;
};

template <typename F, bool Descending, typename... Args>
struct call_of<directed_key<F, Descending>, Args...> : call_of<F, Args...> {};

/// F can be called as f(record, spans of shared data...).
template <typename F, typename T, typename... Sides>
concept takes_record = call_of<F, const T&, std::span<const Sides>...>::possible;
template <typename F, typename T, typename... Sides>
using returned_by = typename call_of<F, const T&, std::span<const Sides>...>::type;

/// F can be called so, but returns what the operator can't use.
template <typename F, typename T, typename... Sides>
concept returns_no_record =
    takes_record<F, T, Sides...> && !record<std::remove_cvref_t<returned_by<F, T, Sides...>>>;
template <typename F, typename T, typename... Sides>
concept returns_no_bool =
    takes_record<F, T, Sides...> && !std::is_convertible_v<returned_by<F, T, Sides...>, bool>;
template <typename F, typename T, typename... Sides>
concept returns_no_key =
    takes_record<F, T, Sides...> && !key<std::remove_cvref_t<returned_by<F, T, Sides...>>>;

template <typename F, typename T>
concept returns_no_sort_key =
    takes_record<F, T> && !sort_key<std::remove_cvref_t<returned_by<F, T>>>;

/// What a function returns can be iterated by `for (auto&& element : range)`, if need be from a
/// variable: some ranges, such as views::filter, can't be iterated as temporaries.
template <typename Range>
concept iterable = requires(std::remove_reference_t<Range>& range) {
  *std::begin(range);
  std::end(range);
};
template <iterable Range>
struct element_of_range
    : std::remove_cvref<decltype(*std::begin(std::declval<std::remove_reference_t<Range>&>()))> {};
template <iterable Range>
  requires std::ranges::input_range<std::remove_reference_t<Range>&>
struct element_of_range<Range> {  // the value type: *begin() of std::vector<bool> is a proxy
  using type = std::ranges::range_value_t<std::remove_reference_t<Range>&>;
};

template <typename Range>
concept range_of_no_records = !record<std::remove_cv_t<std::ranges::range_value_t<Range>>>;

template <typename F, typename T, typename... Sides>
concept returns_no_range = takes_record<F, T, Sides...> && !iterable<returned_by<F, T, Sides...>>;
template <typename F, typename T, typename... Sides>
concept returns_range_of_no_records =
    takes_record<F, T, Sides...> && iterable<returned_by<F, T, Sides...>> &&
    !record<typename element_of_range<returned_by<F, T, Sides...>>::type>;

template <typename T>
concept addable = std::is_arithmetic_v<T> || requires(T& total, const T& x) { total += x; };
template <typename T>
concept orderable = requires(const T& x) {
  { x < x } -> std::convertible_to<bool>;
};
template <typename T>
concept number_like = requires(const T& x) { static_cast<double>(x); };

template <typename R, typename T>
concept accumulates = requires(R& state, const T& x) { state.accumulate(x); };
template <typename R>
concept merges = requires(R& state, const R& other) { state.merge(other); };
template <typename Op, typename T>
concept binary = std::is_invocable_v<const Op&, const T&, const T&>;
template <typename Op, typename Total, typename T>
concept folds_into = std::is_invocable_r_v<Total, const Op&, const Total&, const T&> &&
                     std::is_invocable_r_v<Total, const Op&, const Total&, const Total&>;
template <typename R, typename T>
concept reducer_without_merge = accumulates<R, T> && !merges<R>;
template <typename R, typename T>
concept operator_without_identity = !accumulates<R, T> && binary<R, T>;
template <typename R, typename T>
concept no_reducer_of = !accumulates<R, T> && !binary<R, T>;
template <typename R, typename T>
concept reducer_that_owns = accumulates<R, T> && merges<R> && !std::is_trivially_copyable_v<R>;

template <typename T>
inline constexpr bool is_shared_rows = false;
template <typename T>
inline constexpr bool is_shared_rows<shared_rows<T>> = true;

/// What an aggregate's projection returns.
template <typename F, typename T>
using projected_by = std::remove_cvref_t<returned_by<F, T>>;
template <typename F, typename T>
concept decides_not = takes_record<F, T> && !std::same_as<present<projected_by<F, T>>, bool>;
template <typename F, typename T>
concept sums_not = takes_record<F, T> && !addable<present<projected_by<F, T>>>;
template <typename F, typename T>
concept averages_not = takes_record<F, T> && !number_like<present<projected_by<F, T>>>;
template <typename F, typename T>
concept orders_not = takes_record<F, T> && !orderable<projected_by<F, T>>;

/// The call of a key function: `More` are the operator's further arguments, of which those that are
/// shared data go to the function.
template <typename Key, typename T, typename Sides, typename... More>
struct key_call_of;
template <typename... Sides>
struct shared_types {};
template <typename Key, typename T, typename... Sides>
struct key_call_of<Key, T, shared_types<Sides...>>
    : call_of<Key, const T&, std::span<const Sides>...> {};
template <typename Key, typename T, typename... Sides, typename... More>
struct key_call_of<Key, T, shared_types<Sides...>, domain, More...>
    : key_call_of<Key, T, shared_types<Sides...>, More...> {};
template <typename Key, typename T, typename... Sides, typename U, typename... More>
struct key_call_of<Key, T, shared_types<Sides...>, shared_rows<U>, More...>
    : key_call_of<Key, T, shared_types<Sides..., U>, More...> {};

template <typename... More>
concept sides_or_domain = ((is_shared_rows<More> || std::same_as<More, domain>) && ...);

template <typename Key, typename T, typename... More>
concept takes_key = key_call_of<Key, T, shared_types<>, More...>::possible;
template <typename Key, typename T, typename... More>
concept returns_other_than_key =
    takes_key<Key, T, More...> &&
    !group_key<std::remove_cvref_t<typename key_call_of<Key, T, shared_types<>, More...>::type>>;
/// What comes behind a key are keys, too.
template <typename T, typename... More>
concept further_keys = sizeof...(More) > 0 && (takes_record<More, T> && ...);
template <typename Key, typename T>
concept returns_group_key =
    takes_record<Key, T> && group_key<std::remove_cvref_t<returned_by<Key, T>>>;

/// Both key functions of a join can be called.
template <typename LeftKey, typename T, typename RightKey, typename Right>
concept takes_keys = takes_record<LeftKey, T> && takes_record<RightKey, typename Right::value_type>;
template <typename LeftKey, typename T, typename RightKey, typename Right>
concept keys_differ =
    takes_keys<LeftKey, T, RightKey, Right> &&
    !std::same_as<present<std::remove_cvref_t<returned_by<LeftKey, T>>>,
                  present<std::remove_cvref_t<returned_by<RightKey, typename Right::value_type>>>>;
template <typename LeftKey, typename T, typename RightKey, typename Right>
concept text_keys_may_be_missing =
    takes_keys<LeftKey, T, RightKey, Right> && !keys_differ<LeftKey, T, RightKey, Right> &&
    string_key<present<std::remove_cvref_t<returned_by<LeftKey, T>>>> &&
    (may_be_missing<std::remove_cvref_t<returned_by<LeftKey, T>>> ||
     may_be_missing<std::remove_cvref_t<returned_by<RightKey, typename Right::value_type>>>);

}  // namespace pappus::detail

// session::run(): several results in one go. What they have in common is computed once, and what
// reduces the same records, as
//
//     auto late = flights.filter(is_late);
//     auto [n, longest, miles] =
//         s.run(late.count(), late.max(&flight::delay), late.sum(&flight::miles));
//
// is one loop, which calls the functions before it once a record. Results are those of each alone.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <memory>
#include <optional>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "pappus/aggregate.h"
#include "pappus/detail/fuse/folded.h"
#include "pappus/session.h"

namespace pappus {
namespace detail {

/// Whether two values say that they reduce records of one expression.
template <typename A, typename B>
inline constexpr bool reduce_alike = false;
template <typename T, typename U, typename E, typename A, typename B>
inline constexpr bool reduce_alike<folded<T, E, A>, folded<U, E, B>> = true;

/// Which values reduce such records as value I.
template <std::size_t I, typename... Values>
inline constexpr std::array<bool, sizeof...(Values)> alike{
    reduce_alike<std::tuple_element_t<I, std::tuple<Values...>>, Values>...};

/// How many these are, if value I is the first of them; else none.
template <std::size_t I, typename... Values>
consteval std::size_t count_led() {
  constexpr auto& all = alike<I, Values...>;
  const bool leads = std::ranges::find(all, true) == all.begin() + I;
  return leads ? static_cast<std::size_t>(std::ranges::count(all, true)) : 0;
}
/// Their numbers.
template <std::size_t I, typename... Values>
consteval auto led_by() {
  std::array<std::size_t, count_led<I, Values...>()> found{};
  for (std::size_t i = I, next = 0; next < found.size(); ++i)
    if (alike<I, Values...>[i]) found[next++] = i;
  return found;
}

/// Whether aggregates of records of type T can be reduced together, by the same leaves as alone. A
/// batched projection can't be called with one record.
template <typename T, typename... Aggregates>
consteval bool share_leaves() {
  if constexpr (sizeof...(Aggregates) > fields_max ||
                !(std::is_invocable_v<const decltype(Aggregates::projection)&, const T&> && ...))
    return false;
  else
    return sizeof(typename several_of<void, T, Aggregates...>::of_all) < large_fold_state;
}

/// Several values on their way to be computed.
/// \tparam Values  value<T>, or folded
template <typename... Values>
class run_together {
 public:
  explicit run_together(const Values&... values) : values_(values...) {
    for_each_number(
        [&]<std::size_t I>() { add<I>(std::make_index_sequence<count_led<I, Values...>()>()); });
  }

  /// Computes them and tells each its result.
  void compute(const session_ptr& session) const {
    const auto rows = evaluate(session, roots_);
    for_each_number([&]<std::size_t I>() {
      const auto& value = std::get<I>(values_);
      const auto& [root, within] = *places_[I];
      if (within == nullptr) return access::adopt(value, rows[root]);
      using result = typename std::remove_cvref_t<decltype(value)>::value_type;
      const auto part =
          std::make_shared<row_set>(record_type_of<result>(), within(rows[root]->data()), 1);
      part->keep_owners_of(*rows[root]);
      part->hold(rows[root]);
      access::adopt(value, part);
    });
  }

 private:
  /// Where a value's result will be: a root's record, or within it.
  struct place {
    std::size_t root;
    const std::byte* (*within)(const std::byte* record);  ///< null: it is the record
  };

  template <typename F>
  static void for_each_number(const F& f) {
    [&]<std::size_t... I>(std::index_sequence<I...>) {
      (f.template operator()<I>(), ...);
    }(std::index_sequence_for<Values...>());
  }

  template <std::size_t I, std::size_t... K>
  void add(std::index_sequence<K...> led) {
    if constexpr (sizeof...(K) > 1)
      if (add_as_one_loop<I>(led)) return;
    if (places_[I]) return;
    places_[I] = {roots_.size(), nullptr};
    roots_.push_back(access::node(std::get<I>(values_)));
  }

  /// False where their records are made by different calls, one was assigned another value, or
  /// leaves would be others.
  template <std::size_t I, std::size_t... K>
  bool add_as_one_loop(std::index_sequence<K...>) {
    constexpr auto led = led_by<I, Values...>();
    const auto& records = access::records(std::get<I>(values_));
    using record = typename std::remove_cvref_t<decltype(records)>::value_type;
    if constexpr (share_leaves<record, aggregate_of_value<led[K]>...>()) {
      const auto is_same = [&](const auto& value) {
        return access::is_reduced_so(value) &&
               are_one_chain(access::stage(records), access::stage(access::records(value)));
      };
      if (!(is_same(std::get<led[K]>(values_)) && ...)) return false;
      const auto all = records.aggregate(access::how(std::get<led[K]>(values_))...);
      using results = typename decltype(all)::value_type;
      ((places_[led[K]] = {roots_.size(), part<results, K>}), ...);
      roots_.push_back(access::node(all));
      return true;
    } else {
      return false;
    }
  }

  template <std::size_t I>
  using aggregate_of_value = std::remove_cvref_t<decltype(access::how(
      std::declval<const std::tuple_element_t<I, std::tuple<Values...>>&>()))>;

  template <typename Results, std::size_t K>
  static const std::byte* part(const std::byte* record) {
    return reinterpret_cast<const std::byte*>(&get<K>(*reinterpret_cast<const Results*>(record)));
  }

  std::tuple<const Values&...> values_;
  std::array<std::optional<place>, sizeof...(Values)> places_{};
  std::vector<node_ptr> roots_;
};

}  // namespace detail

template <detail::a_value... Values>
std::tuple<typename Values::value_type...> session::run(const Values&... values) {
  detail::run_together<Values...>(values...).compute(core_);
  return {values.get()...};
}

}  // namespace pappus

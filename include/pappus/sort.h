// Sorting: sort_by, sort, top, bottom.
#pragma once

#include <concepts>
#include <functional>
#include <optional>
#include <string_view>
#include <tuple>
#include <utility>

#include "pappus/detail/base/keep.h"
#include "pappus/detail/fuse/key_parts.h"
#include "pappus/detail/loops/sort.h"
#include "pappus/detail/loops/top.h"
#include "pappus/parts.h"
#include "pappus/query.h"

namespace pappus {
namespace detail {

/// Where text is missing.
template <typename F>
struct text_lacks {
  F text;
  template <typename T>
  bool operator()(const T& record) const {
    return !std::invoke(text, record).has_value();
  }
};
template <typename F>
struct text_or_none {
  F text;
  template <typename T>
  std::string_view operator()(const T& record) const {
    return std::invoke(text, record).value_or(std::string_view());
  }
};
/// The text of a category.
template <typename F>
struct text_of_category {
  static constexpr bool of_category = true;
  F function;
  template <typename T>
  std::string_view operator()(const T& record) const {
    return std::invoke(function, record).text();
  }
};

/// A key as keys that can be sorted by: text that may be missing as two, what has categories in it
/// as its parts.
template <typename T, typename Key>
auto sort_keys_of(Key key) {
  using direction = key_direction<Key>;
  using function = typename direction::function;
  using own = sort_key_of<Key, T>;
  if constexpr (std::same_as<own, std::optional<std::string_view>>)
    return std::tuple(
        text_lacks<function>{direction::of(key)},
        directed_key<text_or_none<function>, direction::descending>{{direction::of(key)}});
  else if constexpr (is_category<own>)
    return std::tuple(
        directed_key<text_of_category<function>, direction::descending>{{direction::of(key)}});
  else if constexpr (keyed_by_text<own>)
    return sort_keys_of_parts<own, direction::descending>(direction::of(key));
  else
    return std::tuple(std::move(key));
}

}  // namespace detail

/// For sort_by: orders by this key, the least first. A bare key means the same.
template <typename F>
detail::directed_key<F, false> ascending(F key) {
  return {std::move(key)};
}
/// For sort_by: orders by this key, the greatest first. Rows with equal keys keep their order.
template <typename F>
detail::directed_key<F, true> descending(F key) {
  return {std::move(key)};
}

/// Sorts by keys, the most significant first: s.sort_by(&flight::carrier,
/// descending(&flight::delay)).
///
/// A key is a function of a record or a pointer to a member, bare or within ascending() or
/// descending(). It yields an integer, an enumerator, float, double, a std::string_view, or a
/// pair or std::array of numbers of at most 16 bytes, or a std::optional of these; or a category,
/// whose order is that of its text, alone or among others. The sort is
/// stable: rows with equal keys keep their order. NaN comes after every number (before,
/// descending), all NaN are equal, and so are -0.0 and 0.0; records keep their own bits. Strings go
/// by bytes, as operator< does. What is missing comes last in both directions.
/// What doesn't fit the budget is sorted in runs, which go to the spill file where memory is short:
/// a file's rows that stream to a reader needn't fit, nor need the scratch of rows in memory.
/// Throws memory_error where the result is collected and doesn't fit, or nothing may go to a disk,
/// spill_error where the disk fails, and what a key throws; a key is called once per record, for
/// rows that go to the disk a few times.
/// Cost: O(n) by radix for keys of bounded width; strings O(n log n) comparisons at most beyond
/// the bytes that tell them apart. On disk: records are written once and read once, and those near
/// cuts of ranges again; more often where the budget is below a thousandth of them.
template <typename E>
template <typename... Keys>
PAPPUS_GLUE collection<typename query<E>::value_type> query<E>::sort_by(Keys... keys) const {
  static_assert(sizeof...(Keys) > 0, "sort_by: give at least one key, or use sort()");
  static_assert((detail::sort_key<detail::sort_key_of<Keys, value_type>> && ...),
                "sort_by: a key must be a number, an enumerator, a std::string_view, a "
                "pappus::category, or a pair or array of numbers of at most 16 bytes");
  using element = detail::sort_element<E, Keys...>;
  if constexpr (!(detail::key<detail::sort_key_of<Keys, value_type>> && ...)) {
    return std::apply([&](auto... single) { return sort_by(std::move(single)...); },
                      std::tuple_cat(detail::sort_keys_of<value_type>(std::move(keys))...));
  } else if constexpr (E::yields != detail::cardinality::one ||
                       (detail::moves_of<element>() == detail::sort_moves::addresses &&
                        !std::same_as<E, detail::source<value_type>>)) {
    return materialise().sort_by(std::move(keys)...);
  } else {
    auto stage = erased_stage();
    stage.element = detail::keep(element{expression_, std::tuple<Keys...>(std::move(keys)...)});
    stage.describe = detail::describe_sort<element>;
    return {session_,
            detail::make_node(
                session_, {detail::sort_operator(), "sort_by", detail::record_type_of<value_type>(),
                           std::move(stage), detail::make_sort_params<element>()})};
  }
}

/// Sorts records that are keys themselves, ascending; see sort_by. For descending order:
/// sort_by(descending(...)).
template <typename E>
collection<typename query<E>::value_type> query<E>::sort() const
  requires detail::record_key<value_type>
{
  return sort_by(detail::whole_record{});
}

namespace detail {

/// The most records for which top and bottom keep candidates; beyond, sorting all rows is cheaper.
inline constexpr std::int64_t top_most = std::int64_t{1} << 16;

template <bool Greatest, typename E, typename Key>
PAPPUS_GLUE collection<value_of<E>> choose(const query<E>& from, std::int64_t n, Key key,
                                           const char* name) {
  using T = value_of<E>;
  static_assert(sort_key<sort_key_of<Key, T>>,
                "top, bottom: the key must be a number, an enumerator, a std::string_view, a "
                "pappus::category, or a pair or array of numbers of at most 16 bytes");
  const auto of_all_sorted = [&] {
    return from.sort_by(directed_key<Key, Greatest>{std::move(key)}).take(n < 0 ? 0 : n);
  };
  if constexpr (is_category<sort_key_of<Key, T>>) {
    return choose<Greatest>(from, n, text_of_category<Key>{std::move(key)}, name);
  } else if constexpr (!detail::key<sort_key_of<Key, T>>) {  // text that may be missing
    return of_all_sorted();
  } else if (n > top_most) {
    return of_all_sorted();
  } else if constexpr (E::yields == cardinality::any) {
    return choose<Greatest>(from.materialise(), n, std::move(key), name);
  } else {
    using element = top_element<E, Key, Greatest>;
    auto stage = detail::access::erased_stage(from);
    stage.element = detail::keep(element{detail::access::expression(from), std::move(key)});
    stage.describe = describe_top<element>;
    stage.counts = counts_of_all<element>();
    return {detail::access::session(from),
            make_node(detail::access::session(from),
                      {top_operator(), name, record_type_of<T>(), std::move(stage),
                       make_top_params<element>(n < 0 ? 0 : n)})};
  }
}

}  // namespace detail

/// The n records with the greatest keys, the greatest first; of equal ones those that come first,
/// in their order: the first n rows of sort_by(descending(key)). NaN counts as greater than every
/// number. All records if there are fewer; none if n <= 0. For keys see sort_by; a key function may
/// be called twice for a record here, and one of strings whenever two candidates are compared.
/// Reads the input once, a file in windows, and keeps about 2 n records a worker; for n beyond
/// 65,536 it sorts everything. Throws memory_error and what the key throws.
template <typename E>
template <typename Key>
collection<typename query<E>::value_type> query<E>::top(std::int64_t n, Key key) const {
  return detail::choose<true>(*this, n, std::move(key), "top");
}
/// The n greatest of records that are keys themselves.
template <typename E>
collection<typename query<E>::value_type> query<E>::top(std::int64_t n) const
  requires detail::record_key<value_type>
{
  return top(n, detail::whole_record{});
}

/// The n records with the least keys, the least first; of equal ones those that come first: the
/// first n rows of sort_by(key). See top.
template <typename E>
template <typename Key>
collection<typename query<E>::value_type> query<E>::bottom(std::int64_t n, Key key) const {
  return detail::choose<false>(*this, n, std::move(key), "bottom");
}
template <typename E>
collection<typename query<E>::value_type> query<E>::bottom(std::int64_t n) const
  requires detail::record_key<value_type>
{
  return bottom(n, detail::whole_record{});
}

}  // namespace pappus

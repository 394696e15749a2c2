// Keys of joins that may be missing: what is missing matches nothing, not even what is missing on
// the other side.
#pragma once

#include <cstdint>
#include <functional>
#include <type_traits>
#include <utility>

#include "pappus/detail/base/missing.h"
#include "pappus/detail/fuse/expression.h"
#include "pappus/records.h"

namespace pappus::detail {

/// A join's left or right side, in the keys of records that lack one.
enum class lacking : std::uint8_t { none, left, right };

/// Yields keys that are equal where the keys of both sides are there and equal.
template <typename F, lacking Side>
struct match_key {
  F function;
  template <typename T>
  auto operator()(const T& record) const {
    const auto key = std::invoke(function, record);
    using value = present<std::remove_cvref_t<decltype(key)>>;
    if constexpr (may_be_missing<std::remove_cvref_t<decltype(key)>>)
      return key ? pair<lacking, value>{lacking::none, *key} : pair<lacking, value>{Side, value{}};
    else
      return pair<lacking, value>{lacking::none, key};
  }
};

template <typename F, typename T>
using key_yielded = std::remove_cvref_t<std::invoke_result_t<const F&, const T&>>;

/// The key function of one side, so that no missing keys match.
/// \tparam T, Other, OtherKey  this side's records, the other's, and the other's key function
template <lacking Side, typename T, typename Other, typename OtherKey, typename Key>
auto key_to_match(Key key) {
  using own = key_yielded<Key, T>;
  constexpr bool any = may_be_missing<own> || may_be_missing<key_yielded<OtherKey, Other>>;
  if constexpr (any)
    return match_key<Key, Side>{std::move(key)};
  else
    return key;
}
template <typename L, typename Right, typename RightKey, typename LeftKey>
auto left_key_to_match(LeftKey key) {
  return key_to_match<lacking::left, L, value_of<Right>, RightKey>(std::move(key));
}
template <typename L, typename Right, typename LeftKey, typename RightKey>
auto right_key_to_match(RightKey key) {
  return key_to_match<lacking::right, value_of<Right>, L, LeftKey>(std::move(key));
}

}  // namespace pappus::detail

// Keys of joins that may be missing, or lack a field: what is missing matches nothing, not even
// what is missing on the other side.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <type_traits>
#include <utility>

#include "pappus/detail/base/fields.h"
#include "pappus/detail/base/keys.h"
#include "pappus/detail/base/missing.h"
#include "pappus/detail/base/record_text.h"
#include "pappus/detail/fuse/expression.h"
#include "pappus/records.h"

namespace pappus::detail {

/// A join's left or right side, in the keys of records that lack one.
enum class lacking : std::uint8_t { none, left, right };

/// Whether a key, or a field or element of it, may be missing.
template <typename K>
constexpr bool may_lack() {
  if constexpr (may_be_missing<K>) {
    return true;
  } else if constexpr (is_std_array<K>) {
    return may_lack<typename K::value_type>();
  } else if constexpr (!std::is_class_v<K> || string_key<K>) {
    return false;
  } else if constexpr (constexpr auto count = field_count<K>(); count > 0) {
    return decltype(visit_fields<count>(std::declval<const K&>(), []<typename... F>(const F&...) {
      return std::bool_constant<(may_lack<F>() || ...)>{};
    }))::value;
  } else {
    return false;
  }
}
/// Whether nothing of a key is missing.
template <typename K>
bool is_there(const K& key) {
  if constexpr (may_be_missing<K>) {
    return key && is_there(*key);
  } else if constexpr (is_std_array<K>) {
    return std::ranges::all_of(key, [](const auto& part) { return is_there(part); });
  } else if constexpr (may_lack<K>()) {
    bool all = true;
    visit_fields<field_count<K>()>(key,
                                   [&](const auto&... parts) { all = (is_there(parts) && ...); });
    return all;
  } else {
    return true;
  }
}

/// Yields keys that are equal where the keys of both sides are there and equal.
template <typename F, lacking Side>
struct match_key {
  F function;
  template <typename T>
  auto operator()(const T& record) const {
    const auto key = std::invoke(function, record);
    using own = std::remove_cvref_t<decltype(key)>;
    using value = present<own>;
    if (!is_there(key)) return pair<lacking, value>{Side, value{}};
    if constexpr (may_be_missing<own>)
      return pair<lacking, value>{lacking::none, *key};
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
  constexpr bool any = may_lack<own>() || may_lack<key_yielded<OtherKey, Other>>();
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

// Keys as operators store them for untyped code.
#pragma once

#include <functional>
#include <type_traits>
#include <utility>

#include "pappus/detail/base/coded_key.h"
#include "pappus/detail/base/keys.h"
#include "pappus/detail/base/text_key.h"

namespace pappus::detail {

/// A key as it is stored for look-ups: its bits, or the string itself.
template <join_key K>
auto stored_key(const K& k) {
  if constexpr (string_key<K>)
    return k;
  else if constexpr (coded_key<K>)
    return encode_codes(k);
  else
    return encode_key(k);
}
/// A key as joins look it up: its bits, or a text_key.
template <join_key K>
[[gnu::always_inline]] inline auto probed_key(const K& k) {
  if constexpr (string_key<K>)
    return text_key(k);
  else
    return stored_key(k);
}
template <join_key K>
using probed_key_type = decltype(probed_key(std::declval<const K&>()));

/// The function from a row to its stored key.
template <typename Key>
struct key_writer {
  Key key;
  template <typename T>
  auto operator()(const T& row) const {
    return stored_key(std::invoke(key, row));
  }
};
/// The same for joins.
template <typename Key>
struct probed_key_writer {
  Key key;
  template <typename T>
  auto operator()(const T& row) const {
    return probed_key(std::invoke(key, row));
  }
};

}  // namespace pappus::detail

// Keys as operators store them for untyped code.
#pragma once

#include <functional>
#include <type_traits>
#include <utility>

#include "pappus/detail/base/coded_key.h"
#include "pappus/detail/base/keys.h"

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
template <join_key K>
using stored_key_type = decltype(stored_key(std::declval<const K&>()));

/// The function from a row to its stored key.
template <typename Key>
struct key_writer {
  Key key;
  template <typename T>
  auto operator()(const T& row) const {
    return stored_key(std::invoke(key, row));
  }
};

}  // namespace pappus::detail

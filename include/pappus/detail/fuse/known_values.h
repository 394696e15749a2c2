// Values that may be missing, without those that are.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <tuple>

#include "pappus/detail/base/keys.h"
#include "pappus/detail/base/missing.h"

namespace pappus::detail {

/// Whether a record's projection is there.
template <typename F>
struct is_known {
  F projection;
  auto calls() const { return std::tie(projection); }
  template <typename T>
  bool operator()(const T& record) const {
    return std::invoke(projection, record).has_value();
  }
};
/// Of records of which it is.
template <typename F>
struct known_value {
  F projection;
  auto calls() const { return std::tie(projection); }
  template <typename T>
  auto operator()(const T& record) const {
    return *std::invoke(projection, record);
  }
};

/// Key bits of Vs that lie side by side: of std::optional<V> those that are there, in the place of
/// all, else the same.
template <typename V>
std::span<key_bits<present<V>>> known_bits(std::span<key_bits<V>> all) {
  if constexpr (!may_be_missing<V>) {
    return all;
  } else {
    using bits = key_bits<present<V>>;
    auto* const known = reinterpret_cast<bits*>(all.data());
    static_assert(sizeof(bits) <= sizeof(key_bits<V>) && alignof(bits) <= alignof(key_bits<V>));
    std::size_t count = 0;
    for (const auto one : all)
      if (const auto value = decode_key<V>(one); value)
        std::construct_at(known + count++, encode_key(*value));
    return {known, count};
  }
}

}  // namespace pappus::detail

// Quantiles as loops and the library see them: values are key bits (base/keys.h), of which some are
// found by their rank; numbers are made of these alone.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <tuple>
#include <type_traits>
#include <vector>

#include "pappus/detail/base/keys.h"
#include "pappus/detail/base/missing.h"
#include "pappus/detail/base/request.h"
#include "pappus/detail/fuse/known_values.h"
#include "pappus/records.h"

namespace pappus::detail {

/// The number that 4 or 8 bytes of key bits stand for.
using number_of_bits = double (*)(std::uint64_t bits);

/// Of records that are key bits.
struct quantile_params : op_params {
  std::vector<double> p;      ///< each from 0 to 1
  std::size_t key_bytes = 0;  ///< 4 or 8
  number_of_bits number = nullptr;
};
const graph::operator_entry& quantile_operator();

/// Throws usage_error unless each is from 0 to 1; `what` was called.
void check_quantiles(const char* what, std::span<const double> p);

/// Writes the quantiles of keys that lie side by side, which it puts in another order; NaN of none.
void quantiles_of(std::span<std::uint32_t> keys, std::span<const double> p, number_of_bits number,
                  double* out);
void quantiles_of(std::span<std::uint64_t> keys, std::span<const double> p, number_of_bits number,
                  double* out);

/// What values are ordered as: themselves, or what they are converted to.
template <typename V>
struct quantile_value_of : std::conditional<std::is_arithmetic_v<V> && bits_key<V>, V, double> {};
template <typename V>
struct quantile_value_of<std::optional<V>> {
  using type = std::optional<typename quantile_value_of<V>::type>;
};
template <typename V>
using quantile_value = typename quantile_value_of<V>::type;
template <typename V>
using quantile_bits = key_bits<quantile_value<V>>;

template <typename V>
double number_of(std::uint64_t bits) {
  using value = quantile_value<V>;
  return static_cast<double>(decode_key<value>(static_cast<key_bits<value>>(bits)));
}

/// A projection, as key bits.
template <typename F>
struct to_quantile_bits {
  F projection;
  auto calls() const { return std::tie(projection); }
  template <typename T>
  auto operator()(const T& record) const {
    const auto& value = std::invoke(projection, record);
    using ordered = quantile_value<std::remove_cvref_t<decltype(value)>>;
    if constexpr (may_be_missing<ordered>)
      return encode_key(value ? ordered(static_cast<present<ordered>>(*value)) : ordered());
    else
      return encode_key(static_cast<ordered>(value));
  }
};

/// What map_groups calls for a group. \tparam Out  double, or an array of N.
template <typename V, typename Out, std::size_t N>
struct group_quantiles {
  static constexpr bool reorders_values = true, makes_keyed = true;
  std::array<double, N> p;

  template <typename Key>
  keyed<Key, Out> operator()(const Key& key, std::span<quantile_bits<V>> values) const {
    keyed<Key, Out> made{key, {}};
    const auto known = known_bits<quantile_value<V>>(values);
    if constexpr (std::is_same_v<Out, double>)
      quantiles_of(known, p, number_of<present<V>>, &made.value);
    else
      quantiles_of(known, p, number_of<present<V>>, made.value.data());
    return made;
  }
};

}  // namespace pappus::detail

// Where a value is greatest, or least:
//
//     using greenest = reducers::argmax<float, int>;   // and on which day
//     auto best = s.filled<greenest, 2>({rows, columns}, {});
//     s.for_each({days, n}, [](idx<2> p, .., reduces<greenest, 2> best) {
//       best(row[p], column[p]).accumulate(green[p], int(p[0]));
//     }, .., best);
//
//     auto worst = flights.group_by(&flight::carrier).reduce<reducers::argmax<int, int>>(
//         [](const flight& f) { return pair(f.delay, f.day); });
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <type_traits>

#include "pappus/detail/base/keys.h"
#include "pappus/detail/base/record_text.h"
#include "pappus/error.h"
#include "pappus/records.h"
#include "pappus/reducers.h"
#include "pappus/results.h"

namespace pappus {
namespace reducers {

/// What argmax and argmin yield.
template <typename Value, typename Arg>
struct extreme {
  Value value{};  ///< the greatest, or the least
  Arg arg{};      ///< what had it

  friend bool operator==(const extreme&, const extreme&) = default;
};

}  // namespace reducers

namespace detail {

template <typename Value>
inline constexpr bool is_float = std::is_floating_point_v<Value>;

/// Whether 64 bits hold a value, its arg and that there is one: bits of floats are never zeros. Of
/// other args than numbers nobody knows whether their order, if they have one, is that of bits.
template <typename Value, typename Arg>
inline constexpr bool fits_packed_extreme = false;
template <typename Value, bits_key Arg>
  requires(std::is_arithmetic_v<Value> && bits_key<Value> && std::is_arithmetic_v<Arg>)
inline constexpr bool fits_packed_extreme<Value, Arg> =
    key_codec<Value>::width + key_codec<Arg>::width <= (is_float<Value> ? 64 : 63);

/// A value and its arg as one number, the greatest of which is kept: that takes no branch, and in
/// memory one load and store. -0.0 becomes 0.0, and every NaN the same one.
template <typename Value, typename Arg, bool Greatest>
class packed_extreme {
 public:
  static constexpr bool commutative = true;

  packed_extreme() = default;
  packed_extreme(const Value& value, const Arg& arg) : best_(packed(value, arg)) {}

  void accumulate(const Value& value, const Arg& arg) {
    best_ = (std::max)(best_, packed(value, arg));
  }
  void merge(const packed_extreme& other) { best_ = (std::max)(best_, other.best_); }

  bool any() const { return best_ != 0; }
  Value value() const {
    return decode_key<Value>(
        static_cast<key_bits<Value>>((best_ >> arg_width ^ flip) & value_mask));
  }
  Arg arg() const { return decode_key<Arg>(static_cast<key_bits<Arg>>(~best_ & arg_mask)); }

 private:
  static constexpr unsigned value_width = key_codec<Value>::width;
  static constexpr unsigned arg_width = key_codec<Arg>::width;
  static constexpr std::uint64_t value_mask = ~std::uint64_t{0} >> (64 - value_width);
  static constexpr std::uint64_t arg_mask = ~std::uint64_t{0} >> (64 - arg_width);
  static constexpr std::uint64_t flip = Greatest ? 0 : value_mask;
  static constexpr std::uint64_t present =
      is_float<Value> ? 0 : std::uint64_t{1} << (value_width + arg_width);

  static constexpr std::uint64_t packed(const Value& value, const Arg& arg) {
    return present | (encode_key(value) ^ flip) << arg_width | (encode_key(arg) ^ arg_mask);
  }

  std::uint64_t best_ = 0;
};

/// For what has more bits, or an order of its own.
template <typename Value, typename Arg, bool Greatest>
class compared_extreme {
 public:
  static constexpr bool exact = true;
  static constexpr bool commutative = std::is_integral_v<Value> && std::is_integral_v<Arg>;

  compared_extreme() = default;
  compared_extreme(const Value& value, const Arg& arg) : value_(value), arg_(arg), any_(true) {}

  void accumulate(const Value& value, const Arg& arg) {
    if (any_ && !is_better(value, arg)) return;
    value_ = value;
    arg_ = arg;
    any_ = true;
  }
  void merge(const compared_extreme& other) {
    if (other.any_) accumulate(other.value_, other.arg_);
  }

  bool any() const { return any_; }
  Value value() const { return value_; }
  Arg arg() const { return arg_; }

 private:
  bool is_better(const Value& value, const Arg& arg) const {
    const bool less = reducers::orders_before(value, value_);
    const bool greater = reducers::orders_before(value_, value);
    if constexpr (requires { arg < arg_; })
      if (!less && !greater) return reducers::orders_before(arg, arg_);
    return Greatest ? greater : less;
  }

  Value value_{};
  Arg arg_{};
  bool any_ = false;
};

template <typename Value, typename Arg, bool Greatest>
using extreme_state =
    std::conditional_t<fits_packed_extreme<Value, Arg>, packed_extreme<Value, Arg, Greatest>,
                       compared_extreme<Value, Arg, Greatest>>;

template <typename Value, typename Arg, bool Greatest>
struct any_argmax : extreme_state<Value, Arg, Greatest> {
  static constexpr const char* name = Greatest ? "argmax" : "argmin";
  using state = extreme_state<Value, Arg, Greatest>;
  using state::accumulate;
  using state::state;
  void accumulate(const pair<Value, Arg>& both) { state::accumulate(both.first, both.second); }
  void accumulate(const results<Value, Arg>& both) {
    state::accumulate(get<0>(both), get<1>(both));
  }
  reducers::extreme<Value, Arg> finalize() const {
    if (!this->any())
      throw usage_error(std::string(name) + ": expected at least one value, got none");
    return {this->value(), this->arg()};
  }
};

template <typename Value, typename Arg, bool Greatest>
const char* lacks_records(const any_argmax<Value, Arg, Greatest>& r) {
  return r.any() ? nullptr : r.name;
}

}  // namespace detail

namespace reducers {

/// The greatest value and what had it: accumulate(value, arg), or a pair of both. Of equal values
/// the least arg, or the first one if args have no order; NaN counts as greater than every number,
/// -0.0 equals 0.0. One that is made of a value and an arg has seen these; else finalize() throws
/// usage_error if there were none. Where both take 64 bits at most (integers: 63), they are one
/// number, so that it needs no branch, and neither -0.0 nor the bits of a NaN are kept.
template <typename Value, typename Arg>
struct argmax : detail::any_argmax<Value, Arg, true> {
  using detail::any_argmax<Value, Arg, true>::any_argmax;
};

/// The least value and what had it, in the same way.
template <typename Value, typename Arg>
struct argmin : detail::any_argmax<Value, Arg, false> {
  using detail::any_argmax<Value, Arg, false>::any_argmax;
};

}  // namespace reducers

template <typename Value, typename Arg>
inline constexpr bool holds_no_text<reducers::argmax<Value, Arg>> =
    detail::text_of_all<Value, Arg>() == detail::text_in::none;
template <typename Value, typename Arg>
inline constexpr bool holds_no_text<reducers::argmin<Value, Arg>> =
    detail::text_of_all<Value, Arg>() == detail::text_in::none;

}  // namespace pappus

// Missing values: fields of type std::optional.
//
//     struct flight { std::string_view carrier; std::optional<double> delay; };
//
//     flights.mean(&flight::delay)       // of the delays that are known
//     flights.count(&flight::delay)      // how many these are; count() is that of records
//     flights.min(&flight::delay)        // a std::optional<double>: none may be known
//
// Reducers of such values pass over what is missing; first and last take records as they come. See
// docs/guides/missing.md for what files, sorts, groups and joins make of them.
#pragma once

#include <cstdint>
#include <cstring>
#include <optional>
#include <type_traits>

#include "pappus/argmax.h"
#include "pappus/detail/base/exact.h"
#include "pappus/detail/base/keys.h"
#include "pappus/detail/base/missing.h"
#include "pappus/detail/base/reducer_traits.h"
#include "pappus/records.h"
#include "pappus/reducers.h"
#include "pappus/results.h"

namespace pappus {
namespace detail {

/// Reduces the values that are there by R.
template <typename R>
struct of_present {
  static constexpr bool exact = is_exact<R>;
  static constexpr bool commutative = is_commutative<R>;

  R values;

  template <typename T>
  void accumulate(const std::optional<T>& x) {
    if (x) values.accumulate(*x);
  }
  void merge(const of_present& other) { values.merge(other.values); }
  auto finalize() const { return values.finalize(); }
};

/// A number, or zero where it is missing. Its bytes are read in any case and integers masked: else
/// compilers take a branch, which processors can't foresee.
template <typename T>
T or_zero(const std::optional<T>& x) {
  struct as_laid_out {
    T value;
    bool is_there;
  };
  if constexpr (std::is_arithmetic_v<T> && sizeof(as_laid_out) == sizeof(x)) {
    T value;
    std::memcpy(&value, static_cast<const void*>(&x), sizeof(value));
    if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>) {
      using bits = std::make_unsigned_t<T>;
      const auto mask = static_cast<bits>(0 - bits{x.has_value()});
      return static_cast<T>(static_cast<bits>(value) & mask);
    } else {
      return x ? value : T{};
    }
  } else {
    return x ? *x : T{};
  }
}

/// Adds up the numbers that are there by R. What is missing is a zero that counts as no number,
/// which takes no branch.
template <typename R>
struct sums_of_present {
  static constexpr bool commutative = is_commutative<R>;

  R values;

  template <typename T>
  void accumulate(const std::optional<T>& x) {
    values.accumulate(or_zero(x), x ? 1 : 0);
  }
  void merge(const sums_of_present& other) { values.merge(other.values); }
  auto finalize() const { return values.finalize(); }
};
/// The same by an R that takes blocks.
template <typename R>
struct exact_sums_of_present : sums_of_present<R> {
  /// A block counts zeros as well: what is added to integers of 64 bits goes by their number.
  struct of_block {
    typename R::of_block values;
    std::int64_t missing = 0;

    template <typename T>
    void accumulate(const std::optional<T>& x) {
      values.accumulate(or_zero(x));
      missing += x ? 0 : 1;
    }
  };
  using sums_of_present<R>::merge;
  void merge(const of_block& block) {
    this->values.merge(block.values);
    this->values.n -= block.missing;
  }
};

/// As reducers::replace_by_extreme, of the values that are there.
template <typename T, bool Greatest>
void replace_by_extreme_of_present(T& best, bool& any, const std::optional<T>* values,
                                   std::int64_t n) {
  const auto rank = [](const std::optional<T>& x) {
    const auto bits = reducers::rank_bits<T, Greatest>(or_zero(x));
    return x ? bits : key_bits<T>{0};
  };
  key_bits<T> most = 0, present = 0;
  for (std::int64_t i = 0; i < n; ++i) {
    const auto own = rank(values[i]);
    most = own > most ? own : most;
    present |= values[i] ? 1 : 0;
  }
  if (present == 0 || (any && most <= reducers::rank_bits<T, Greatest>(best))) return;
  std::int64_t at = 0;
  while (!values[at] || rank(values[at]) != most) ++at;
  best = *values[at];
  any = true;
}

/// The first of the values that is least or greatest, by R; missing where none is there.
template <typename R, typename T, bool Greatest>
struct best_of_present : of_present<R> {
  void accumulate_block(const std::optional<T>* values, std::int64_t n)
    requires bits_key<T> && std::is_arithmetic_v<T>
  {
    replace_by_extreme_of_present<T, Greatest>(this->values.best, this->values.any, values, n);
  }
  std::optional<T> finalize() const {
    return this->values.any ? std::optional(this->values.best) : std::nullopt;
  }
};

}  // namespace detail

namespace reducers {

/// The number of values that aren't missing.
template <typename T>
struct present {
  static constexpr bool commutative = true;
  std::int64_t n = 0;
  void accumulate(const T& x) {
    if constexpr (detail::may_be_missing<T>)
      n += x.has_value() ? 1 : 0;
    else
      ++n;
  }
  void merge(const present& other) { n += other.n; }
  std::int64_t finalize() const { return n; }
};

template <typename T>
struct sum<std::optional<T>> : detail::of_present<sum<T>> {};
template <typename T>
  requires std::is_arithmetic_v<T>
struct sum<std::optional<T>> {
  static constexpr int lanes = sum<T>::lanes;
  static constexpr bool commutative = sum<T>::commutative;
  sum<T> values;
  void accumulate(const std::optional<T>& x) { values.accumulate(detail::or_zero(x)); }
  void merge(const sum& other) { values.merge(other.values); }
  auto finalize() const { return values.finalize(); }
};

template <typename T>
struct mean<std::optional<T>> : detail::sums_of_present<mean<T>> {
  static constexpr int lanes = mean<T>::lanes;
};
template <detail::exactly_summed T>
struct mean<std::optional<T>> : detail::exact_sums_of_present<mean<T>> {};

template <typename T>
struct variance<std::optional<T>> : detail::of_present<variance<T>> {};
template <detail::exactly_summed T>
struct variance<std::optional<T>> : detail::exact_sums_of_present<variance<T>> {};

template <typename T>
struct min<std::optional<T>> : detail::best_of_present<min<T>, T, false> {};
template <typename T>
struct max<std::optional<T>> : detail::best_of_present<max<T>, T, true> {};

}  // namespace reducers

namespace detail {

/// Of the values that are there; missing where none is.
template <template <typename, typename> typename R, typename Value, typename Arg>
struct extreme_of_present {
  static constexpr bool exact = is_exact<R<Value, Arg>>;
  static constexpr bool commutative = is_commutative<R<Value, Arg>>;

  R<Value, Arg> values;

  void accumulate(const std::optional<Value>& value, const Arg& arg) {
    if (value) values.accumulate(*value, arg);
  }
  void accumulate(const pair<std::optional<Value>, Arg>& both) {
    accumulate(both.first, both.second);
  }
  void accumulate(const results<std::optional<Value>, Arg>& both) {
    accumulate(get<0>(both), get<1>(both));
  }
  void merge(const extreme_of_present& other) { values.merge(other.values); }
  std::optional<reducers::extreme<Value, Arg>> finalize() const {
    return values.any() ? std::optional(values.finalize()) : std::nullopt;
  }
};

}  // namespace detail

namespace reducers {

template <typename Value, typename Arg>
struct argmax<std::optional<Value>, Arg> : detail::extreme_of_present<argmax, Value, Arg> {};
template <typename Value, typename Arg>
struct argmin<std::optional<Value>, Arg> : detail::extreme_of_present<argmin, Value, Arg> {};

}  // namespace reducers

// Fields of what has a base aren't found.
template <typename T>
inline constexpr bool holds_no_text<reducers::mean<std::optional<T>>> =
    detail::text_of<reducers::mean<T>>() == detail::text_in::none;
template <typename T>
inline constexpr bool holds_no_text<reducers::variance<std::optional<T>>> =
    detail::text_of<reducers::variance<T>>() == detail::text_in::none;
template <typename T>
inline constexpr bool holds_no_text<reducers::min<std::optional<T>>> =
    detail::text_of<T>() == detail::text_in::none;
template <typename T>
inline constexpr bool holds_no_text<reducers::max<std::optional<T>>> =
    detail::text_of<T>() == detail::text_in::none;

}  // namespace pappus

// What right_join and full_join combine, in terms of a left_join.
//
// right_join is the left_join of the right side with the left one: only the function's parameters
// change places. full_join is a left_join and, behind it, the right records that no left one
// matches: their functions call the user's with a pointer that is never, or always, null.
#pragma once

#include <functional>
#include <memory>
#include <type_traits>
#include <utility>

#include "pappus/detail/fuse/join.h"

namespace pappus::detail {

/// The combining function of a right_join, whose rows are the right side's and whose matches the
/// left side's.
template <typename F>
struct swapped_combination {
  static constexpr const char* name = "right_join";
  static constexpr const char* indexed = "left";
  F function;

  struct bound {
    bound_function<F> function;
    template <typename Row, typename Match>
    decltype(auto) operator()(const Row& row, const Match* match) const {
      return function(match, row);
    }
  };
  bound bind(const block_args&) const { return {bound_function<F>(function)}; }

  template <typename Row, typename Match>
  using result = std::remove_cvref_t<std::invoke_result_t<const F&, const Match*, const Row&>>;

  template <typename Result, typename Row, typename Match>
  device_variable describe(device_writer& to, std::span<const device_variable> pair) const {
    const device_variable swapped[] = {pair[1], pair[0]};
    return describe_function<Result, const Match*, Row>(function, to, swapped);
  }
};

template <typename F>
using plain_type_of = std::remove_cvref_t<decltype(plain_function(std::declval<const F&>()))>;

/// f(left record, match or null) by the function of a full_join.
template <typename F>
struct with_left_record {
  F function;
  template <typename Left, typename Match>
    requires std::is_pointer_v<Match>
  decltype(auto) operator()(const Left& left, Match match) const {
    return std::invoke(function, std::addressof(left), match);
  }
};

/// f(right record) by the function of a full_join.
template <typename Left, typename F>
struct without_left_record {
  F function;
  template <typename Right>
  decltype(auto) operator()(const Right& right) const {
    return std::invoke(function, static_cast<const Left*>(nullptr), std::addressof(right));
  }
};

/// Messages name the user's function.
template <typename F>
struct type_spelling<with_left_record<F>> : type_spelling<F> {};
template <typename Left, typename F>
struct type_spelling<without_left_record<Left, F>> : type_spelling<F> {};

/// Device code that users give has left records as values, which have no address.
inline device_variable refuse_left_pointer(device_writer& to, device_variable record) {
  to.refuse("device code can't be given a pointer to a left record", record);
  return device_writer::no_variable;
}

/// The combining function of a full_join for left records.
template <typename F>
struct full_combination : combination<with_left_record<plain_type_of<F>>, join_kind::outer> {
  static constexpr const char* name = "full_join";
  template <typename Result, typename Left, typename Right>
  device_variable describe(device_writer& to, std::span<const device_variable> pair) const {
    using base = combination<with_left_record<plain_type_of<F>>, join_kind::outer>;
    if constexpr (has_device_code<F>)
      return refuse_left_pointer(to, pair[0]);
    else
      return base::template describe<Result, Left, Right>(to, pair);
  }
};

/// The same for right records without a match.
template <typename Left, typename F>
struct unmatched_call : call<without_left_record<Left, plain_type_of<F>>> {
  using base = call<without_left_record<Left, plain_type_of<F>>>;
  typename base::bound bind(const block_args& args, const char*) const {
    return base::bind(args, "full_join");
  }
  template <typename Result, typename Value>
  device_variable describe(device_writer& to, device_variable value) const {
    if constexpr (has_device_code<F>)
      return refuse_left_pointer(to, value);
    else
      return base::template describe<Result, Value>(to, value);
  }
};

}  // namespace pappus::detail

// A user's function inside a loop.
//
// Loops write through pointers, and for all the compiler knows such a write may change a captured
// value that sits on the heap; it would reload the capture for every row and give up vectorising.
// So a loop works on its own copy of small functions. Functions that are costly to copy (a captured
// vector) are called where they are.
#pragma once

#include <functional>
#include <span>
#include <tuple>
#include <type_traits>
#include <utility>

#include "pappus/detail/base/failure.h"
#include "pappus/detail/base/stage.h"
#include "pappus/detail/fuse/describe.h"

namespace pappus::detail {

template <typename F>
inline constexpr bool copied_into_loops = std::is_trivially_copyable_v<F> && sizeof(F) <= 256;

template <typename F, bool Copied = copied_into_loops<F>>
struct bound_function {
  F function;
  explicit bound_function(const F& f) : function(f) {}
  const F& get() const { return function; }
  template <typename... Args>
  decltype(auto) operator()(Args&&... args) const {
    return std::invoke(function, std::forward<Args>(args)...);
  }
};
template <typename F>
struct bound_function<F, false> {
  const F* function;
  explicit bound_function(const F& f) : function(&f) {}
  const F& get() const { return *function; }
  template <typename... Args>
  decltype(auto) operator()(Args&&... args) const {
    return std::invoke(*function, std::forward<Args>(args)...);
  }
};

/// Of a function with device code loops take the C++ function and its values alone.
template <typename F, typename... Values>
struct bound_function<coded_function<F, Values...>, false>
    : bound_function<typename coded_function<F, Values...>::plain_type> {
  using plain = bound_function<typename coded_function<F, Values...>::plain_type>;
  explicit bound_function(const coded_function<F, Values...>& f) : plain(f.plain) {}
};

/// The projection that leaves records as they are.
struct to_itself {
  static constexpr bool yields_its_argument = true;
  template <typename T>
  const T& operator()(const T& value) const {
    return value;
  }
};

/// How many functions one consists of.
template <typename F>
inline constexpr std::size_t parts_of_function = 1;

/// A function and the shared data with which it is called: f(record, spans...).
template <typename F, typename... Sides>
struct call {
  F function;
  int first_side = 0;  ///< its sides are consecutive in stage_spec::sides

  struct bound {
    bound_function<F> function;
    std::tuple<std::span<const Sides>...> sides;
    const char* op;

    template <typename Value>
    decltype(auto) operator()(Value&& value) const {
      try {
        if constexpr (sizeof...(Sides) == 0) {
          return function(std::forward<Value>(value));
        } else {
          return std::apply(
              [&](const auto&... side) -> decltype(auto) {
                return function(std::forward<Value>(value), side...);
              },
              sides);
        }
      } catch (...) {
        failed_in(op, type_spelling<F>::text.data());
        throw;
      }
    }

    static constexpr std::size_t parts = parts_of_function<F>;
    /// What part I yields.
    template <std::size_t I, typename Value>
    decltype(auto) one(const Value& value) const {
      try {
        return function.get().template one<I>(value);
      } catch (...) {
        failed_in(op, type_spelling<F>::text.data());
        throw;
      }
    }
  };

  /// \param op  the operator that the function was given to; null: the node's own.
  bound bind(const block_args& args, const char* op = nullptr) const {
    int slot = first_side;
    return {bound_function<F>(function), {span_of<Sides>(args.sides[slot++])...}, op};
  }

  /// Describes the call for a record of type Value; returns the variable of its result or, of a
  /// range, of each of its elements.
  template <typename Result, typename Value>
  device_variable describe(device_writer& to, device_variable value, bool range = false) const {
    return describe_function<Result, Value>(function, to, {&value, 1},
                                            side_list<Sides...>{first_side}, range);
  }

  /// The same for a batched function, whose device code is for one record.
  template <typename Result, typename Value>
  device_variable describe_batched(device_writer& to, device_variable value) const {
    if constexpr (has_device_code<F>)
      return describe<Result, Value>(to, value);
    else
      return describe_compiled_batch<Result, Value>(function, to, value,
                                                    side_list<Sides...>{first_side});
  }

  template <typename Value>
  using returned = std::invoke_result_t<const F&, const Value&, std::span<const Sides>...>;
  template <typename Value>
  using result = std::remove_cvref_t<returned<Value>>;

 private:
  template <typename T>
  static std::span<const T> span_of(const side& data) {
    return {static_cast<const T*>(data.data), static_cast<std::size_t>(data.count)};
  }
};

}  // namespace pappus::detail

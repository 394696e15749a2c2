// How reducers take the records that a block's rows yield.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <type_traits>
#include <utility>

#include "pappus/detail/base/glue.h"
#include "pappus/detail/fuse/expression.h"
#include "pappus/detail/fuse/projections.h"

namespace pappus::detail {

/// What takes a block's records, fewer than 2^31, in place of a reducer: the reducer itself, where
/// it names nothing faster.
template <typename R>
struct block_of {
  static R begin(const R& reducer) { return reducer; }
  static void end(R& reducer, const R& block) { std::construct_at(&reducer, block); }
};
template <typename R>
  requires requires { typename R::of_block; }
struct block_of<R> {
  static auto begin(const R&) { return typename R::of_block(); }
  static void end(R& reducer, const typename R::of_block& block) { reducer.merge(block); }
};
template <typename R>
using block_type = decltype(block_of<R>::begin(std::declval<const R&>()));

/// Whether it isn't the reducer itself.
template <typename R>
inline constexpr bool has_block = !std::is_same_v<block_type<R>, R>;

/// Whether the reducer can take many consecutive records at once and the stage yields one a row.
template <typename E, typename R>
inline constexpr bool takes_blocks =
    E::yields == cardinality::one && std::is_trivially_default_constructible_v<value_of<E>> &&
    requires(R r, const value_of<E>* values) { r.accumulate_block(values, std::int64_t{}); };

/// Values that are put beside each other on the stack.
template <typename T>
constexpr std::int64_t values_at_once() {
  constexpr std::size_t most = 512, bytes = 32 << 10;
  return static_cast<std::int64_t>(std::clamp<std::size_t>(bytes / sizeof(T), 1, most));
}

template <typename E, typename R>
void accumulate_blocks(R& reducer, const typename E::bound& bound, std::int64_t n) {
  using T = value_of<E>;
  if constexpr (std::is_same_v<E, source<T>>) {
    if (n > 0) reducer.accumulate_block(bound.rows, n);
  } else {
    constexpr auto step = values_at_once<T>();
    T values[step];
    for (std::int64_t begin = 0; begin < n; begin += step) {
      const std::int64_t count = begin + step < n ? step : n - begin;
      for (std::int64_t i = 0; i < count; ++i)
        bound.at(begin + i, [&](const auto& value) { values[i] = value; });
      reducer.accumulate_block(values, count);
    }
  }
}

/// Whether a stage yields what several functions make of a record.
template <typename E>
inline constexpr bool yields_parts = false;
template <typename Prev, typename... Fs>
inline constexpr bool yields_parts<mapped<Prev, call<projections<Fs...>>>> = true;

/// Whether a reducer of several parts can ask for these one by one. Beside each other compilers
/// write them to memory, field by field, and then wait to read two as one word.
template <typename E, typename R>
constexpr bool asks_for_parts() {
  if constexpr (yields_parts<E>)
    return requires(R r, const typename E::bound& b, const value_of<decltype(E::prev)>& record) {
      r.accumulate_each(b.call, record);
    };
  else
    return false;
}

/// Accumulates what n rows yield.
template <typename E, typename R>
void accumulate_rows(R& reducer, const typename E::bound& bound, std::int64_t n) {
  if constexpr (asks_for_parts<E, R>())
    each_row<E::yields>(bound.prev, n, [&](const auto& record) PAPPUS_LAMBDA_INLINE_BY_CLANG {
      reducer.accumulate_each(bound.call, record);
    });
  else
    each_row<E::yields>(bound, n, [&](const auto& value) { reducer.accumulate(value); });
}
/// The same of rows that yield at most one record each, from row number `first` on, where it
/// matters which.
template <typename E, typename R>
void accumulate_rows_at(R& reducer, const typename E::bound& bound, std::int64_t first,
                        std::int64_t n) {
  for (std::int64_t i = 0; i < n; ++i) {
    const auto row = static_cast<std::uint32_t>(first + i);
    if constexpr (asks_for_parts<E, R>())
      bound.prev.at(i, [&](const auto& record) PAPPUS_LAMBDA_INLINE_BY_CLANG {
        reducer.accumulate_each_at(bound.call, record, row);
      });
    else
      bound.at(i, [&](const auto& value) { reducer.accumulate_at(value, row); });
  }
}

}  // namespace pappus::detail

// What a group_by computes for each record: its key, and the value that its reducer gets.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <new>
#include <span>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

#include "pappus/detail/base/record_text.h"
#include "pappus/detail/fuse/batch.h"
#include "pappus/detail/fuse/expression.h"
#include "pappus/detail/fuse/join.h"
#include "pappus/detail/fuse/projections.h"
#include "pappus/detail/loops/group_keys.h"
#include "pappus/detail/loops/key_text.h"

namespace pappus::detail {

/// The most rows that are extracted before they are handed on.
inline constexpr std::size_t group_batch_rows = 512;

/// A batched key function, which takes a block of records at once.
template <typename Out, typename F, typename... Sides>
struct batched_call : call<F, Sides...> {
  template <typename>
  using result = Out;

  template <typename Result, typename Value>
  device_variable describe(device_writer& to, device_variable value) const {
    return this->template describe_batched<Result, Value>(to, value);
  }
};

template <typename Call>
inline constexpr bool is_batched_call = false;
template <typename Out, typename F, typename... Sides>
inline constexpr bool is_batched_call<batched_call<Out, F, Sides...>> = true;

template <typename E>
inline constexpr bool is_source = false;
template <typename T>
inline constexpr bool is_source<source<T>> = true;

/// Of the shared data that a key function is given, too.
template <typename Call>
inline constexpr bool sides_may_have_characters = false;
template <typename F, typename... Sides>
inline constexpr bool sides_may_have_characters<call<F, Sides...>> =
    (may_have_characters<Sides>() || ...);
template <typename Out, typename F, typename... Sides>
inline constexpr bool sides_may_have_characters<batched_call<Out, F, Sides...>> =
    (may_have_characters<Sides>() || ...);

template <typename E, bool Left>
struct whose_keys {
  using type = value_of<E>;
};
template <typename E>
struct whose_keys<E, true> {
  using type = typename E::left_type;
};

/// What a group_by computes for each record: its key and the value that the reducer gets.
template <typename E, typename Key, typename Project, typename Keys>
struct grouping {
  using record = value_of<E>;
  using value = std::remove_cvref_t<std::invoke_result_t<const Project&, const record&>>;
  using stored_key = typename Keys::stored;
  static constexpr bool in_place = is_source<E> && std::is_same_v<Project, to_itself>;
  static constexpr bool has_value = !std::is_same_v<Project, to_nothing>;
  /// What keys are taken of.
  using whose = typename whose_keys<E, is_left_call<Key>>::type;
  static constexpr bool keys_in_records = [] {
    if constexpr (packs_keys<Keys>)
      return true;
    else if constexpr (std::is_same_v<stored_key, std::string_view>)
      return may_have_characters<whose>() || sides_may_have_characters<Key>;
    else
      return false;
  }();
  /// Keys may be views of records that are computed on the way, or are made on the way.
  static constexpr bool keys_may_go = keys_in_records && (!is_source<E> || packs_keys<Keys>);
  /// Whether at_each() may be called.
  static constexpr bool row_by_row = E::yields == cardinality::one && !is_batched_call<Key>;

  E rows;
  Key key;
  [[no_unique_address]] Project project;
  Keys keys;

  struct bound {
    typename E::bound rows;
    typename Key::bound key;
    bound_function<Project> project;
    Keys keys;

    /// Calls sink(i, key, record) for rows begin + i, 0 <= i < n, where stages yield one record a
    /// row and key functions aren't batched.
    template <typename Sink>
    PAPPUS_INLINE_BY_CLANG void at_each(std::int64_t begin, std::int64_t n, Sink&& sink) const {
      for (std::int64_t i = 0; i < n; ++i)
        rows.at(begin + i, [&](const auto& record)
                               PAPPUS_LAMBDA_INLINE_BY_CLANG { sink(i, key(record), record); });
    }

    /// Calls sink(kept(key, whose), record) for all records of the block's n rows. A key is whose
    /// it was taken of, one of a batch's keys all its records'.
    template <typename Sink, typename Kept = as_it_is>
    PAPPUS_INLINE_BY_CLANG void each(std::int64_t n, Sink&& sink, Kept&& kept = {}) const {
      if constexpr (is_left_call<Key>) {
        rows.for_each_pair(
            n, [&](const auto& left, const auto& record) { sink(kept(key(left), left), record); });
      } else if constexpr (!is_batched_call<Key>) {
        each_row<E::yields>(rows, n, [&](const auto& record) PAPPUS_LAMBDA_INLINE_BY_CLANG {
          sink(kept(key(record), record), record);
        });
      } else if constexpr (is_source<E>) {
        for (std::int64_t at = 0; at < n; at += batch_rows)
          call_batch(rows.rows + at, static_cast<std::size_t>((std::min)(batch_rows, n - at)), sink,
                     kept);
      } else {
        record_buffer<record, static_cast<std::size_t>(batch_rows)> memory;
        record* const records = memory.data();
        std::int64_t waiting = 0;
        each_row<E::yields>(rows, n, [&](const auto& value) {
          ::new (static_cast<void*>(records + waiting)) record(value);
          if (++waiting < batch_rows) return;
          with_gathered_rows(
              [&] { call_batch(records, static_cast<std::size_t>(waiting), sink, kept); });
          waiting = 0;
        });
        if (waiting > 0) call_batch(records, static_cast<std::size_t>(waiting), sink, kept);
      }
    }

   private:
    static constexpr auto batch_rows =
        static_cast<std::int64_t>(rows_of_batch(sizeof(record), 16, group_batch_rows));

    template <typename Sink, typename Kept>
    void call_batch(const record* records, std::size_t n, Sink& sink, Kept& kept) const {
      using output = typename Key::template result<record>;
      record_buffer<output, static_cast<std::size_t>(batch_rows)> memory;
      output* const found = memory.data();
      std::apply(
          [&](const auto&... side) {
            key.function(std::span<const record>(records, n), side..., std::span<output>(found, n));
          },
          key.sides);
      const std::span<const record> whose(records, n);
      for (std::size_t i = 0; i < n; ++i) sink(kept(found[i], whose), records[i]);
    }
  };
  bound bind(const block_args& args) const {
    return {rows.bind(args), key.bind(args), bound_function<Project>(project), keys};
  }
};

/// What the keys of a grouping need.
template <typename G>
using key_text_of = std::conditional_t<
    packs_keys<decltype(G::keys)>, packed_key_text,
    std::conditional_t<G::keys_may_go, key_text<sizeof(typename G::whose)>, no_key_text>>;

}  // namespace pappus::detail

// The typed loops of a grouped join inside a do_while whose pairs and groups are the same in each
// iteration: only what the right rows hold is new.
//
// The first iteration's loop finds the pairs, as row numbers, and the left record's key. They are
// sorted by key once (cpu_ops/group_routes.cpp); each iteration gathers the rows of a group and
// reduces them in the order they had. Where the combining function doesn't look at the left record,
// compilers leave out that its row number is read at all.
#pragma once

#include <cstddef>
#include <cstdint>

#include "pappus/detail/base/failure.h"
#include "pappus/detail/base/partition.h"
#include "pappus/detail/base/stage.h"
#include "pappus/detail/fuse/join.h"
#include "pappus/detail/fuse/left_key.h"

namespace pappus::detail {

/// Rows of both sides that match.
struct row_pair {
  std::uint32_t left, right;
  static constexpr std::uint32_t no_row = ~std::uint32_t{0};  ///< right: there was no match
};

/// Pairs group by group: those of group g end before ends[g] and begin where the last ones end.
struct grouped_pairs {
  const std::uint32_t* ends;
  std::size_t groups;
  const std::uint32_t* left;
  const std::uint32_t* right;
};

/// Null where a grouping isn't of a join's rows in memory by a left key.
struct routing_loops {
  /// Puts the key and the row_pair of each pair that the block's rows make into partitions, by the
  /// key's top bits.
  void (*find)(const void* element, const block_args& args, partition_buffers& to) = nullptr;
  /// Accumulates pairs into the states of their groups. The block is all rows of the stage.
  void (*add)(const void* element, const block_args& args, const grouped_pairs& pairs,
              std::byte* states) = nullptr;
};

/// Whether a grouping can be routed.
template <typename E, typename Key>
inline constexpr bool is_routable = false;
template <typename T, record Right, typename LeftKey, typename Combine, join_kind Kind,
          typename Key>
inline constexpr bool is_routable<joined<source<T>, Right, LeftKey, Combine, Kind>, Key> =
    is_left_call<Key>;

template <typename G>
void find_pairs(const void* element, const block_args& args, partition_buffers& to) {
  using left_type = typename decltype(G::rows)::left_type;
  const auto bound = static_cast<const G*>(element)->bind(args);
  const partition_writer<typename G::stored_key, row_pair> writer(to);
  const unsigned shift = to.shift;
  const left_type* const first = bound.rows.prev.rows;
  const auto take = [&](const left_type* left, const join_batch& found, std::size_t count) {
    const auto row = static_cast<std::uint32_t>(args.row + (left - first));
    const std::uint32_t* const left_of = found.left;
    const std::uint64_t* const right_of = found.right;
    for (std::size_t k = 0; k < count; ++k) {
      const auto key = bound.keys.encode(bound.key(left[left_of[k]]));
      writer.put(static_cast<std::uint32_t>(key >> shift), key, [&] {
        return row_pair{row + left_of[k], static_cast<std::uint32_t>(right_of[k])};
      });
    }
  };
  bound.rows.for_each_batch(args.rows, take, uncounted());
}

template <typename G, typename R>
void add_pairs(const void* element, const block_args& args, const grouped_pairs& pairs,
               std::byte* states) {
  // Right rows lie anywhere; where groups are short, processors can't see far enough ahead.
  constexpr std::size_t ahead = 32;
  const auto bound = static_cast<const G*>(element)->bind(args);
  const auto* const left = bound.rows.prev.rows;
  const auto* const right = bound.rows.rows;
  using expression = decltype(G::rows);
  call_noting_failure<decltype(decltype(expression::combine)::function)>(expression::name, [&] {
    const std::size_t all = pairs.groups == 0 ? 0 : pairs.ends[pairs.groups - 1];
    std::size_t i = 0;
    for (std::size_t g = 0; g < pairs.groups; ++g) {
      R state = reinterpret_cast<R*>(states)[g];
      for (; i < pairs.ends[g]; ++i) {
        if (i + ahead < all) __builtin_prefetch(right + pairs.right[i + ahead]);
        state.accumulate(bound.project(expression::bound::combined(
            bound.rows.combine, left[pairs.left[i]], right, pairs.right[i])));
      }
      reinterpret_cast<R*>(states)[g] = state;
    }
  });
}

}  // namespace pappus::detail

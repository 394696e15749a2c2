// An expression cut in two at its last join: what makes the join's left records, and what is done
// with them.
//
// Where the order of left records matters to nobody, they may be gathered and reordered between the
// two halves (detail/loops/fold_join.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "pappus/detail/base/hash.h"
#include "pappus/detail/base/partition.h"
#include "pappus/detail/fuse/expression.h"
#include "pappus/detail/fuse/join.h"

namespace pappus::detail {

/// `join` is E's last join; `type` is E with the join's left records as its input, in memory.
/// There is none where no join is, or where left records are too large to be moved.
template <typename E>
struct behind_join {
  static constexpr bool exists = false;
};

template <typename Prev, record Right, typename Key, typename Combine, join_kind Kind>
struct behind_join<joined<Prev, Right, Key, Combine, Kind>> {
  using join = joined<Prev, Right, Key, Combine, Kind>;
  using left = typename join::left_type;
  using type = joined<source<left>, Right, Key, Combine, Kind>;
  static constexpr bool exists = sizeof(left) <= 64 && alignof(left) <= 64 &&
                                 !std::is_same_v<typename join::key_type, text_key>;

  static const join& join_of(const join& e) { return e; }
  static type of(const join& e) { return {{}, e.key, e.combine, e.side}; }
};

/// For operators that have one before them and a call.
template <template <typename, typename> typename Op, typename Prev, typename Call>
struct behind_join_of_call {
  using inner = behind_join<Prev>;
  using join = typename inner::join;
  using type = Op<typename inner::type, Call>;
  static constexpr bool exists = inner::exists;

  static const join& join_of(const Op<Prev, Call>& e) { return inner::join_of(e.prev); }
  static type of(const Op<Prev, Call>& e) { return {inner::of(e.prev), e.call}; }
};
template <typename Prev, typename Call>
  requires behind_join<Prev>::exists
struct behind_join<mapped<Prev, Call>> : behind_join_of_call<mapped, Prev, Call> {};
template <typename Prev, typename Call>
  requires behind_join<Prev>::exists
struct behind_join<filtered<Prev, Call>> : behind_join_of_call<filtered, Prev, Call> {};
template <typename Prev, typename Call>
  requires behind_join<Prev>::exists
struct behind_join<flattened<Prev, Call>> : behind_join_of_call<flattened, Prev, Call> {};

/// Puts the left records of a block's rows into partitions, by the top bits of their keys' hash.
template <typename Join>
[[gnu::flatten]] void partition_left_records(const Join& join, const block_args& args,
                                             partition_buffers& to) {
  using left = typename Join::left_type;
  const auto rows = join.prev.bind(args);
  const auto key = join.key.bind(args, Join::name);
  const partition_writer<left, left, false> writer(to);
  const unsigned shift = to.shift;
  each_row<decltype(join.prev)::yields>(rows, args.rows, [&](const auto& record) {
    writer.put(static_cast<std::uint32_t>(hash(probed_key(key(record))) >> shift), record, nullptr);
  });
}

}  // namespace pappus::detail

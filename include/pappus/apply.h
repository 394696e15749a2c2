// apply: an opaque function, or a whole library, on each partition of a collection.
//
// f gets a partition's records as std::span<const T>, and shared data where it is given, and
// returns a range of records. Partitions are worked on in parallel, one call each; results follow
// each other in the order of the partitions.
//
//   pieces(n)             rows cut into n runs of about equal length, in their order.
//   hash_by(key, parts)   records with equal keys in one partition, chosen by a hash of the key.
//   range_by(key, parts)  partitions in ascending order of the keys, of about equal size; equal
//                         keys in one partition, so a frequent key makes a large one. NaN is
//                         greater than every number. Strings are told apart by 16 bytes.
//
//   Order   records of a partition are in row order. The cut depends on the data alone.
//   Empty partitions are skipped: f always sees a record.
//   apply()s of the same collection share one partitioning step if kind, number of parts and key
//   are the same (a member pointer, a stateless function, else the same partitioning object).
//   explain() says "already partitioned".
//   Memory  a copy of the rows for hash_by and range_by and 4 bytes a row; the results.
//   Throws  what f throws; usage_error for a number of parts that isn't 1 to 65,536.
//   Strings in results must point into the input, or to memory that outlives them.
#pragma once

#include <algorithm>
#include <ranges>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "pappus/detail/base/apply.h"
#include "pappus/detail/base/keep.h"
#include "pappus/detail/fuse/stored_key.h"
#include "pappus/detail/loops/put_range.h"
#include "pappus/error.h"
#include "pappus/query.h"

namespace pappus {

/// Cuts rows into n runs of about equal length, in their order.
struct pieces {
  std::int64_t n = 1;
};

/// Made by hash_by() and range_by(): how to partition rows.
template <typename Key>
struct partitioning {
  Key key;
  detail::partition_kind kind;
  std::int64_t parts;
  std::uint64_t id;  ///< shared by copies; tells keys that are functions with captures apart
};

template <typename Key>
partitioning<Key> hash_by(Key key, std::int64_t parts) {
  return {std::move(key), detail::partition_kind::hash, parts, detail::next_op_id()};
}
template <typename Key>
partitioning<Key> range_by(Key key, std::int64_t parts) {
  return {std::move(key), detail::partition_kind::range, parts, detail::next_op_id()};
}

}  // namespace pappus

namespace pappus::detail {

inline void check_parts(const char* what, std::int64_t parts) {
  if (parts < 1 || parts > 65536)
    throw usage_error(std::string(what) + ": expected 1 to 65536 parts, got " +
                      std::to_string(parts));
}

/// A constant whose address identifies the type T.
template <typename T>
inline constexpr char type_tag = 0;

/// A string that is equal for partitionings with equal kind, number of parts and key.
template <typename Key>
std::string identity_of(const partitioning<Key>& by) {
  const auto bytes_of = [](const auto& value) {
    return std::string(reinterpret_cast<const char*>(&value), sizeof(value));
  };
  const char* const tag = &type_tag<Key>;
  auto identity = bytes_of(by.kind) + bytes_of(by.parts) + bytes_of(tag);
  if constexpr (std::is_member_pointer_v<Key>)
    identity += bytes_of(by.key);
  else if constexpr (!std::is_empty_v<Key>)
    identity += bytes_of(by.id);
  return identity;
}

template <typename T, typename Key>
partition_node partition_of(const collection<T>& rows, const partitioning<Key>& by) {
  using key_type = std::remove_cvref_t<std::invoke_result_t<const Key&, const T&>>;
  static_assert(key<key_type>,
                "partitioning: keys must be integers, enums, floats, std::string_view, or small "
                "arrays, pairs and structs of them");
  using keys = mapped<source<T>, call<key_writer<Key>>>;
  check_parts(by.kind == partition_kind::hash ? "hash_by" : "range_by", by.parts);
  partition_params params;
  params.loop = write_rows<keys>;
  params.key_bytes = sizeof(value_of<keys>);
  params.strings = string_key<key_type>;
  params.kind = by.kind;
  params.parts = by.parts;
  params.identity = identity_of(by);
  stage_spec stage = detail::access::stage(rows);
  stage.element = keep(keys{{}, {{by.key}}});
  return make_partition(detail::access::session(rows), detail::access::node(rows), std::move(stage),
                        std::move(params));
}

/// Calls the function and copies what it returns.
template <typename T, typename Call>
void apply_to_piece(const void* element, const block_args& piece, apply_output& out) {
  const auto bound = static_cast<const Call*>(element)->bind(piece);
  const std::span<const T> rows(reinterpret_cast<const T*>(piece.inputs[0]),
                                static_cast<std::size_t>(piece.rows));
  put_range(bound(rows), out);
}

template <typename E, typename F, typename Partitioning, typename... Sides>
auto make_apply(const query<E>& from, F f, const Partitioning& by,
                const shared_rows<Sides>&... sides) {
  using T = value_of<E>;
  using call_type = call<F, Sides...>;
  using range = std::invoke_result_t<const F&, std::span<const T>, std::span<const Sides>...>;
  static_assert(std::ranges::range<range>, "apply: the function must return a range of records");
  using U = std::ranges::range_value_t<range>;
  static_assert(record<U>, "apply: the function must return trivially copyable records");

  auto params = std::make_shared<apply_params>();
  params->loop = apply_to_piece<T, call_type>;
  stage_spec stage;
  const collection<T> rows = from;
  if constexpr (std::same_as<Partitioning, pieces>) {
    check_parts("pieces", by.n);
    params->pieces = by.n;
    stage.inputs = {detail::access::node(rows)};
  } else {
    const auto partitioned = partition_of(rows, by);
    params->shares_input = partitioned.existed;
    stage.inputs = {partitioned.node};
  }
  stage.sides = {sides.node...};
  stage.element = keep(call_type{std::move(f)});
  return collection<U>(
      detail::access::session(from),
      make_node(detail::access::session(from), {apply_operator(), "apply", record_type_of<U>(),
                                                std::move(stage), std::move(params)}));
}

}  // namespace pappus::detail

namespace pappus {

template <typename E>
template <typename F, typename... Sides>
auto query<E>::apply(F f, pieces into, const shared_rows<Sides>&... sides) const {
  return detail::make_apply(*this, std::move(f), into, sides...);
}

template <typename E>
template <typename F, typename Key, typename... Sides>
auto query<E>::apply(F f, const partitioning<Key>& by, const shared_rows<Sides>&... sides) const {
  return detail::make_apply(*this, std::move(f), by, sides...);
}

template <typename E>
template <typename Key>
collection<typename query<E>::value_type> query<E>::partition(const partitioning<Key>& by) const {
  return {session_, detail::partition_of(materialise(), by).node};
}

}  // namespace pappus

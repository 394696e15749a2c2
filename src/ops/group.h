// Sizes that the entries of group_by and map_groups and their CPU versions share.
#pragma once

#include <cstddef>
#include <cstdint>

#include "pappus/detail/base/hash.h"
#include "pappus/detail/loops/group.h"

namespace pappus::ops {

/// Bytes of the rows that are partitioned, then folded, before the next rows are partitioned: the
/// same memory is used again and again. Where such a part ends can't change a result. More where
/// tables are large and memory isn't short: each part reads and writes all tables.
inline constexpr std::size_t group_store_bytes = std::size_t{128} << 20;

/// Bytes of the tables of all leaves under way.
inline constexpr std::size_t group_leaf_tables_bytes = 64u << 20;

/// Bytes of a key in tables: as bits; of strings, those of a code.
inline std::size_t bits_bytes(const detail::group_params& params) {
  return params.strings ? sizeof(detail::bits128) : params.key_bytes;
}

/// Bytes of a group in a table: its key and its state.
inline std::size_t slot_bytes(const detail::group_params& params) {
  return detail::group_slot_bytes(bits_bytes(params), params.state_bytes, params.state_align);
}

/// Bytes of a key by which rows are sorted, where groups are wanted as ranges: of strings, those of
/// a number.
inline std::size_t sorted_bytes(const detail::group_params& params) {
  return params.strings ? sizeof(std::uint32_t) : params.key_bytes;
}

/// Whether groups may rest on a disk meanwhile, and come in the order of their keys: those of an
/// unknown domain, and of strings where all text of keys and values is found.
bool groups_may_rest(const detail::group_params& params);

/// Whether the rows of map_groups may rest, and groups come in ranges.
inline bool rows_may_rest(const detail::group_params& params) {
  return !params.strings || groups_may_rest(params);
}

/// Bytes that a grouped reduction needs beside its output: with a known domain, and without.
double dense_group_scratch(const detail::group_params& params, double rows);
double hash_group_scratch(const detail::group_params& params, double rows, double groups);

}  // namespace pappus::ops

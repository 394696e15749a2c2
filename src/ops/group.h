// What the sizes of group_by and map_groups and their running share.
#pragma once

#include <cstddef>
#include <cstdint>

#include "pappus/detail/loops/group.h"

namespace pappus::ops {

/// Rows are partitioned this many bytes at a time and folded before the next come: what is moved
/// stays moderate, and its memory is used again and again. Where it ends can't change a result.
inline constexpr std::size_t group_store_bytes = std::size_t{128} << 20;

inline constexpr std::size_t group_leaf_tables_bytes = 64u << 20;  // of all leaves under way

/// Bytes of a key as bits.
inline std::size_t bits_bytes(const detail::group_params& params) {
  return params.strings ? sizeof(std::uint32_t) : params.key_bytes;
}

/// What a grouped reduction needs beside the output, bytes: with a known domain, and without.
double dense_group_scratch(const detail::group_params& params, double rows);
double hash_group_scratch(const detail::group_params& params, double rows, double groups);

}  // namespace pappus::ops

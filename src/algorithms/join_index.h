// What a join looks keys up in.
#pragma once

#include <cstdint>
#include <optional>

#include "algorithms/join_table.h"
#include "pappus/detail/base/join.h"

namespace pappus::algorithms {

/// From keys to the rows that have them. Exactly one of `consecutive` and `table` is in use, none
/// when there are no rows.
struct join_index {
  detail::join_keys keys;

  /// Row i has the key with bits base + i, as the result of a dense group_by does: the key tells
  /// the row.
  bool consecutive = false;
  std::uint64_t base = 0, rows = 0;

  std::optional<join_table> table;

  /// Strings are looked up by hash; no two different ones of the build side share one under this
  /// seed.
  std::uint64_t seed = 0;
  detail::buffer strings;  // std::string_view of each row
};

}  // namespace pappus::algorithms

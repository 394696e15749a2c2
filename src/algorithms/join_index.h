// The index in which a join looks keys up.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "algorithms/join_table.h"
#include "pappus/detail/base/join.h"

namespace pappus::algorithms {

/// Told which keys are looked up, by several threads at once.
class key_listener {
 public:
  virtual ~key_listener() = default;
  virtual void hear(const void* keys, std::size_t n) = 0;
};

/// Of the texts of a build side.
enum class longest_text : std::uint8_t { few_bytes, is_short, is_longer };

/// Maps keys to the rows that have them. Either `consecutive` is true or `table` is set; neither
/// when there are no rows.
struct join_index {
  detail::join_keys keys;
  std::uint64_t id = next_id();  ///< of this one, in the whole process

  /// Row i has the key with bits base + i, as in the result of a group_by with a domain: the row
  /// follows from the key.
  bool consecutive = false;
  std::uint64_t base = 0, rows = 0;

  std::optional<join_table> table;

  /// Texts are looked up by words (cpu_ops/text_index.h): by hashes with this seed, by which no two
  /// different texts of the build side have equal ones, or by themselves.
  std::uint64_t seed = 0;
  longest_text longest = longest_text::few_bytes;
  detail::buffer texts;  // text_key of each row, where words are hashes

  /// Hears of all keys, and no record has a match or goes on. Null: this is an index.
  key_listener* listener = nullptr;

  static std::uint64_t next_id() {
    static std::atomic<std::uint64_t> ids{0};
    return ++ids;
  }
};

}  // namespace pappus::algorithms

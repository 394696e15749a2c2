// A store of numbers, in a small pool, for tests.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <utility>

#include "algorithms/rows_in.h"
#include "memory/store.h"
#include "support/scaled_memory.h"
#include "support/spill_folder.h"

namespace pappus::memory {

using detail::rows_ptr;
using testing::spill_folder;
using kept_ptr = std::shared_ptr<graph::kept_rows>;

using testing::scaled_mib;

inline constexpr std::int64_t rows_of_a_mib = scaled_mib / sizeof(std::uint64_t);
inline constexpr detail::record_type numbers{8, 8, "unsigned long"};

/// A pool and a store of rows in it, of scaled sizes.
struct machine {
  testing::scaled_memory scaled;
  spill_folder folder;
  std::shared_ptr<pool> memory;
  std::shared_ptr<store> rows;
  explicit machine(std::size_t limit, std::string io = "", bool off = false)
      : memory(std::make_shared<pool>(limit)),
        rows(store::make(memory, {off, folder.path(), 0, std::move(io)})) {}

  /// So many rows of numbers that follow from the seed, in buffers of so many rows.
  rows_ptr make(std::int64_t n, std::int64_t in_buffer, std::uint64_t seed) {
    auto set = std::make_shared<detail::row_set>(numbers);
    set->keep(memory);
    for (std::int64_t row = 0; row < n; row += in_buffer) {
      const auto here = std::min(in_buffer, n - row);
      detail::buffer buffer(*memory, static_cast<std::size_t>(here) * 8, "make");
      for (std::int64_t i = 0; i < here; ++i)
        buffer.as<std::uint64_t>()[i] = seed * 1'000'003 + static_cast<std::uint64_t>(row + i);
      algorithms::append_buffer(*set, std::move(buffer), here);
    }
    return set;
  }
  kept_ptr keep(std::int64_t n, std::int64_t in_buffer, std::uint64_t seed) {
    return rows->keep(make(n, in_buffer, seed));
  }
};

/// Whether rows are those of make() with that seed.
inline bool right(const detail::row_set& rows, std::uint64_t seed) {
  std::uint64_t row = 0;
  for (const auto& chunk : rows.chunks())
    for (std::int64_t i = 0; i < chunk.rows; ++i, ++row) {
      std::uint64_t value = 0;
      std::memcpy(&value, chunk.data + 8 * i, 8);
      if (value != seed * 1'000'003 + row) return false;
    }
  return row == static_cast<std::uint64_t>(rows.rows());
}

}  // namespace pappus::memory

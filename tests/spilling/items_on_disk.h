// A raw file of items, larger than little memory, and a folder to spill to.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "pappus/pappus.h"
#include "support/raw_file.h"
#include "support/scaled_memory.h"
#include "support/spill_settings.h"

namespace pappus::rows_in_parts {

using testing::scaled_mib;
using testing::spill_folder;
using testing::write_records;

inline constexpr std::size_t little = 12 * scaled_mib, plenty = 1024 * scaled_mib;

struct item {
  std::int64_t key;
  double value;
};
inline constexpr std::int64_t file_rows = 125'000;  // 1.9 MiB

inline item item_of(std::int64_t row) {
  const auto mixed = static_cast<std::uint64_t>(row) * 0x9e3779b97f4a7c15u;
  return {static_cast<std::int64_t>(mixed >> 47), static_cast<double>(row) * 0.1};
}

/// A folder to spill to, and beside it a raw file of items.
struct a_disk {
  spill_folder folder;
  std::string path = folder.path() + ".raw";
  explicit a_disk(std::int64_t rows = file_rows) {
    std::vector<item> items;
    for (std::int64_t i = 0; i < rows; ++i) items.push_back(item_of(i));
    write_records(path, items);
  }
};

}  // namespace pappus::rows_in_parts

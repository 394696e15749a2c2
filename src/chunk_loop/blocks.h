// Texts that call no element function, such as sort.cl: compiled for a type of key, and launched
// over blocks of rows.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "base/embedded.h"
#include "chunk_loop/device_session.h"
#include "pappus/detail/base/integers.h"

namespace pappus::chunk_loop {

/// The text behind definitions that fit it to a type, such as "#define KEY ulong\n".
inline program specialised(std::string_view path, std::string_view definitions) {
  std::string text(definitions);
  text += "#line 1\n";
  text += base::embedded(path);
  return {std::string(path), interned(std::move(text)), nullptr};
}

/// Work-items of a work-group, in texts whose work-groups share local memory.
inline constexpr std::size_t group_items = 256;

/// The size of a launch where each block of rows goes to one work-item (has_item_blocks()) or to
/// one work-group.
struct block_launch {
  std::size_t blocks = 1, items = 1, group = 0;
};

/// Whether a block of rows goes to one work-item, as in texts where LIKE_CPU is 1. Else it goes to
/// a work-group.
inline bool has_item_blocks(const device_session& on) {
  return on.about().like_cpu || on.runs_on_host();
}

/// Work-items for kernels that treat every row by itself (FOR_ROWS): one a row, except where a
/// work-item walks a block of rows.
inline std::size_t row_items(const device_session& on, std::int64_t rows) {
  return has_item_blocks(on) ? on.block_items(rows) : static_cast<std::size_t>(rows);
}

/// The launch of a kernel that walks n rows in blocks.
/// \param at_most  blocks; 0: as many as keep the device busy.
inline block_launch blocks_of(const device_session& on, std::int64_t n, std::size_t at_most = 0) {
  const bool by_item = has_item_blocks(on);
  const std::size_t units = on.about().compute_units, rows = by_item ? 1024 : 4096;
  std::size_t blocks = detail::ceil_div(static_cast<std::size_t>(n), rows);
  blocks = std::clamp<std::size_t>(blocks, 1, (by_item ? 4 : 8) * units);
  if (at_most != 0) blocks = std::min(blocks, at_most);
  return by_item ? block_launch{blocks, blocks, 0}
                 : block_launch{blocks, blocks * group_items, group_items};
}

inline void launch_blocks(device_session& on, const program& code, kernel_entry entry,
                          const block_launch& split,
                          std::initializer_list<devices::argument> arguments) {
  entry.group = split.group;
  on.launch(code, entry, split.items, arguments);
}

/// Blocks until the kernels enqueued so far are done, and returns n values that begin `offset`
/// bytes into a buffer.
template <typename T>
std::vector<T> read_back(device_session& on, const devices::buffer& from, std::size_t offset,
                         std::size_t n) {
  std::vector<T> values(n);
  on.read_and_wait(on.kernels(), from, offset, values.data(), n * sizeof(T));
  return values;
}

}  // namespace pappus::chunk_loop

// The host's half of radix_sort: which passes, and where rows lie meanwhile. See text/sort.cl.
#include <bit>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include "chunk_loop/blocks.h"
#include "device_ops/algorithms/primitives.h"
#include "devices/host/entry.h"

namespace pappus::device_ops::on_host {
namespace {
namespace sort_uint_rows {
#define KEY uint
#define WITH_ROWS 1
#include "device_ops/text/sort.cl"
#undef WITH_ROWS
#undef KEY
}  // namespace sort_uint_rows
namespace sort_uint {
#define KEY uint
#define WITH_ROWS 0
#include "device_ops/text/sort.cl"
#undef WITH_ROWS
#undef KEY
}  // namespace sort_uint
namespace sort_ulong_rows {
#define KEY ulong
#define WITH_ROWS 1
#include "device_ops/text/sort.cl"
#undef WITH_ROWS
#undef KEY
}  // namespace sort_ulong_rows
namespace sort_ulong {
#define KEY ulong
#define WITH_ROWS 0
#include "device_ops/text/sort.cl"
#undef WITH_ROWS
#undef KEY
}  // namespace sort_ulong
}  // namespace
}  // namespace pappus::device_ops::on_host

namespace pappus::device_ops {
namespace {

namespace host = devices::host;

constexpr int digit_bits = 8;
constexpr std::size_t digits = std::size_t{1} << digit_bits;
constexpr std::string_view radix_sort_text = "device_ops/text/sort.cl";

struct sort_kernels {
  program code;
  kernel_entry number, look, count, move;
};

template <auto Number, auto Look, auto Count, auto Move>
sort_kernels kernels_with(std::string_view definitions) {
  return {specialised(radix_sort_text, definitions),
          {"number_rows", host::entry<Number>},
          {"look_at_keys", host::entry<Look>},
          {"count_digits", host::entry<Count>},
          {"move_rows", host::entry<Move>}};
}

const sort_kernels& kernels_of(std::size_t key_bytes, bool with_rows) {
  using namespace on_host;
  static const sort_kernels uint_rows =
      kernels_with<sort_uint_rows::number_rows, sort_uint_rows::look_at_keys,
                   sort_uint_rows::count_digits, sort_uint_rows::move_rows>(
          "#define KEY uint\n#define WITH_ROWS 1\n");
  static const sort_kernels uint_alone =
      kernels_with<sort_uint::number_rows, sort_uint::look_at_keys, sort_uint::count_digits,
                   sort_uint::move_rows>("#define KEY uint\n#define WITH_ROWS 0\n");
  static const sort_kernels ulong_rows =
      kernels_with<sort_ulong_rows::number_rows, sort_ulong_rows::look_at_keys,
                   sort_ulong_rows::count_digits, sort_ulong_rows::move_rows>(
          "#define KEY ulong\n#define WITH_ROWS 1\n");
  static const sort_kernels ulong_alone =
      kernels_with<sort_ulong::number_rows, sort_ulong::look_at_keys, sort_ulong::count_digits,
                   sort_ulong::move_rows>("#define KEY ulong\n#define WITH_ROWS 0\n");
  if (key_bytes == 4) return with_rows ? uint_rows : uint_alone;
  return with_rows ? ulong_rows : ulong_alone;
}

// What a look at all keys found.
struct survey {
  std::uint64_t differing = 0;  // bits
  bool sorted = true;
};

template <typename Key>
survey look(device_session& on, const sort_kernels& kernels, const devices::buffer& keys,
            std::int64_t n, const block_launch& split, std::string_view owner, kept_buffers& kept) {
  const auto found = on.memory().acquire(3 * split.blocks * sizeof(Key), owner);
  kept.push_back(found);
  launch_blocks(on, kernels.code, kernels.look, split,
                {keys, n, static_cast<std::uint32_t>(split.blocks), found->memory});
  const auto parts = read_back<Key>(on, *found->memory, 0, 3 * split.blocks);
  Key any = 0, all = static_cast<Key>(~Key{0});
  survey result;
  for (std::size_t block = 0; block < split.blocks; ++block) {
    any |= parts[3 * block];
    all &= parts[3 * block + 1];
    result.sorted = result.sorted && parts[3 * block + 2] == 0;
  }
  result.differing = any & static_cast<Key>(~all);
  return result;
}

}  // namespace

void number_rows(device_session& on, const devices::buffer& rows, std::int64_t n) {
  if (n == 0) return;
  const auto& kernels = kernels_of(4, true);
  on.launch(kernels.code, kernels.number, row_items(on, n), {rows, n});
}

void radix_sort(device_session& on, memory::device_buffer_ptr& keys,
                memory::device_buffer_ptr& rows, std::int64_t n, std::size_t key_bytes,
                std::string_view owner, kept_buffers& kept) {
  if (n > chunk_rows_max)
    throw std::length_error("radix_sort: " + std::to_string(n) +
                            " rows, but row numbers of 4 bytes");
  if (n < 2) return;
  const auto& kernels = kernels_of(key_bytes, rows != nullptr);
  const auto split = blocks_of(on, n);
  const auto blocks = static_cast<std::uint32_t>(split.blocks);
  const survey found = key_bytes == 4
                           ? look<std::uint32_t>(on, kernels, *keys->memory, n, split, owner, kept)
                           : look<std::uint64_t>(on, kernels, *keys->memory, n, split, owner, kept);
  if (found.sorted) return;

  const auto counts = on.memory().acquire((digits * split.blocks + 1) * 4, owner);
  kept.push_back(counts);
  auto other_keys = on.memory().acquire(static_cast<std::size_t>(n) * key_bytes, owner);
  kept.push_back(other_keys);
  memory::device_buffer_ptr other_rows;
  if (rows) {
    other_rows = on.memory().acquire(static_cast<std::size_t>(n) * 4, owner);
    kept.push_back(other_rows);
    kept.push_back(rows);
  }
  kept.push_back(keys);
  std::uint64_t left = found.differing;
  while (left != 0) {
    const int shift = std::countr_zero(left);
    left &= ~(std::uint64_t{digits - 1} << shift);
    launch_blocks(on, kernels.code, kernels.count, split,
                  {keys->memory, n, shift, blocks, counts->memory});
    exclusive_scan(on, *counts->memory, static_cast<std::int64_t>(digits * split.blocks), 4, owner,
                   kept);
    // Without rows the kernel gets keys in their place, which it leaves alone.
    launch_blocks(
        on, kernels.code, kernels.move, split,
        {keys->memory, rows ? rows->memory : keys->memory, n, shift, blocks, counts->memory,
         other_keys->memory, other_rows ? other_rows->memory : other_keys->memory});
    std::swap(keys, other_keys);
    std::swap(rows, other_rows);
  }
}

}  // namespace pappus::device_ops

#include "device_ops/algorithms/primitives.h"

#include <algorithm>
#include <bit>
#include <map>
#include <mutex>
#include <string>
#include <utility>

#include "chunk_loop/blocks.h"
#include "devices/host/entry.h"

namespace pappus::device_ops::on_host {
namespace {
namespace scan_uint {
#define TOTAL uint
#include "device_ops/text/scan.cl"
#undef TOTAL
}  // namespace scan_uint
namespace scan_ulong {
#define TOTAL ulong
#include "device_ops/text/scan.cl"
#undef TOTAL
}  // namespace scan_ulong
namespace segments_uint {
#define KEY uint
#include "device_ops/text/segments.cl"
#undef KEY
}  // namespace segments_uint
namespace segments_ulong {
#define KEY ulong
#include "device_ops/text/segments.cl"
#undef KEY
}  // namespace segments_ulong
namespace gather_1 {
#define WORD uchar
#include "device_ops/text/gather.cl"
#undef WORD
}  // namespace gather_1
namespace gather_2 {
#define WORD ushort
#include "device_ops/text/gather.cl"
#undef WORD
}  // namespace gather_2
namespace gather_4 {
#define WORD uint
#include "device_ops/text/gather.cl"
#undef WORD
}  // namespace gather_4
namespace gather_8 {
#define WORD ulong
#include "device_ops/text/gather.cl"
#undef WORD
}  // namespace gather_8
}  // namespace
}  // namespace pappus::device_ops::on_host

namespace pappus::device_ops {
namespace {

namespace host = devices::host;

struct scan_kernels {
  program code;
  kernel_entry sums, scan;
};

const scan_kernels& scan_of(std::size_t value_bytes) {
  static const scan_kernels narrow{specialised("device_ops/text/scan.cl", "#define TOTAL uint\n"),
                                   {"block_sums", host::entry<on_host::scan_uint::block_sums>},
                                   {"scan_blocks", host::entry<on_host::scan_uint::scan_blocks>}};
  static const scan_kernels wide{specialised("device_ops/text/scan.cl", "#define TOTAL ulong\n"),
                                 {"block_sums", host::entry<on_host::scan_ulong::block_sums>},
                                 {"scan_blocks", host::entry<on_host::scan_ulong::scan_blocks>}};
  return value_bytes == 4 ? narrow : wide;
}

struct segment_kernels {
  program code;
  kernel_entry count, write;
};

const segment_kernels& segments_of(std::size_t key_bytes) {
  static const segment_kernels narrow{
      specialised("device_ops/text/segments.cl", "#define KEY uint\n"),
      {"count_heads", host::entry<on_host::segments_uint::count_heads>},
      {"write_heads", host::entry<on_host::segments_uint::write_heads>}};
  static const segment_kernels wide{
      specialised("device_ops/text/segments.cl", "#define KEY ulong\n"),
      {"count_heads", host::entry<on_host::segments_ulong::count_heads>},
      {"write_heads", host::entry<on_host::segments_ulong::write_heads>}};
  return key_bytes == 4 ? narrow : wide;
}

// One for each size, for good: its address is a key of sessions' kernels.
const program& gather_of(std::size_t word_bytes, std::size_t words) {
  static std::mutex mutex;
  static std::map<std::pair<std::size_t, std::size_t>, program> programs;
  const std::lock_guard lock(mutex);
  program& made = programs[{word_bytes, words}];
  if (!made.text) {
    constexpr std::string_view types[] = {"uchar", "ushort", "uint", "ulong"};
    std::string definitions = "#define WORD ";
    definitions += types[std::countr_zero(word_bytes)];
    definitions += "\n#define WORDS " + std::to_string(words) + '\n';
    made = specialised("device_ops/text/gather.cl", definitions);
  }
  return made;
}

constexpr devices::host_kernel gather_hosts[] = {
    host::entry<on_host::gather_1::gather_records>, host::entry<on_host::gather_2::gather_records>,
    host::entry<on_host::gather_4::gather_records>, host::entry<on_host::gather_8::gather_records>};

}  // namespace

void exclusive_scan(device_session& on, const devices::buffer& values, std::int64_t n,
                    std::size_t value_bytes, std::string_view owner, kept_buffers& kept) {
  const auto& kernels = scan_of(value_bytes);
  // Few values aren't worth three launches.
  const std::int64_t at_once_max = has_item_blocks(on) ? 1 << 14 : 1 << 12;
  const auto all = blocks_of(on, n, n <= at_once_max ? 1 : 0);
  if (all.blocks == 1) {
    launch_blocks(on, kernels.code, kernels.scan, all, {values, n, std::uint32_t{1}, values});
    return;
  }
  const auto sums = on.memory().acquire((all.blocks + 1) * value_bytes, owner);
  kept.push_back(sums);
  const auto blocks = static_cast<std::uint32_t>(all.blocks);
  const auto sums_size = static_cast<std::int64_t>(all.blocks);
  launch_blocks(on, kernels.code, kernels.sums, all, {values, n, blocks, sums->memory});
  launch_blocks(on, kernels.code, kernels.scan, blocks_of(on, sums_size, 1),
                {sums->memory, sums_size, std::uint32_t{1}, sums->memory});
  launch_blocks(on, kernels.code, kernels.scan, all, {values, n, blocks, sums->memory});
}

void gather(device_session& on, const devices::buffer& from, std::size_t record_bytes,
            const devices::buffer& rows, std::int64_t n, const devices::buffer& to) {
  if (n == 0 || record_bytes == 0) return;
  const int log_bytes = std::min(std::countr_zero(record_bytes), 3);
  const std::size_t words = record_bytes >> log_bytes;
  on.launch(gather_of(std::size_t{1} << log_bytes, words),
            {"gather_records", gather_hosts[log_bytes]}, row_items(on, n),
            {from, static_cast<std::int32_t>(words), rows, n, to});
}

segments find_segments(device_session& on, const devices::buffer& keys, std::int64_t n,
                       std::size_t key_bytes, std::string_view owner, kept_buffers& kept,
                       std::uint32_t cut) {
  const auto& kernels = segments_of(key_bytes);
  const auto split = blocks_of(on, n);
  const auto blocks = static_cast<std::uint32_t>(split.blocks);
  // A count is a block's or a row's; the kernels need no groups.
  const bool by_block = has_item_blocks(on);
  const std::int64_t counts = by_block ? static_cast<std::int64_t>(blocks) : n;
  const std::size_t items = by_block ? blocks : row_items(on, std::max<std::int64_t>(n, 1));
  const auto places = on.memory().acquire((static_cast<std::size_t>(counts) + 1) * 4, owner);
  kept.push_back(places);
  on.launch(kernels.code, kernels.count, items, {keys, n, blocks, cut - 1, places->memory});
  exclusive_scan(on, *places->memory, counts, 4, owner, kept);
  const auto total =
      read_back<std::uint32_t>(on, *places->memory, static_cast<std::size_t>(counts) * 4, 1);

  segments found;
  found.count = total[0];
  found.starts = on.memory().acquire((total[0] + std::size_t{1}) * 4, owner);
  found.keys = on.memory().acquire(std::max<std::size_t>(total[0], 1) * key_bytes, owner);
  on.launch(kernels.code, kernels.write, items,
            {keys, n, blocks, cut - 1, places->memory, found.starts->memory, found.keys->memory});
  return found;
}

}  // namespace pappus::device_ops

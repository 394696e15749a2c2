#include "chunk_loop/sent_parts.h"

#include <algorithm>
#include <cstring>

#include "chunk_loop/blocks.h"
#include "chunk_loop/overlaps.h"
#include "devices/host/entry.h"

namespace pappus::chunk_loop::on_host {
namespace {
namespace place_1 {
#define WORD uchar
#include "chunk_loop/place.cl"
#undef WORD
}  // namespace place_1
namespace place_4 {
#define WORD uint
#include "chunk_loop/place.cl"
#include "pappus/detail/base/integers.h"
#undef WORD
}  // namespace place_4
}  // namespace
}  // namespace pappus::chunk_loop::on_host

namespace pappus::chunk_loop {
namespace {

namespace host = devices::host;

constexpr std::string_view place_text = "chunk_loop/place.cl";

/// Where the parts of one range begin: at a multiple of a cache line.
std::size_t piece_bytes(const codegen::byte_range& part, std::int64_t rows) {
  return detail::round_up(static_cast<std::size_t>(rows) * part.bytes, 64);
}

template <std::size_t Bytes>
void copy_column(const std::byte* from, std::size_t stride, std::byte* to, std::int64_t rows) {
  for (std::int64_t i = 0; i < rows; ++i)
    std::memcpy(to + static_cast<std::size_t>(i) * Bytes,
                from + static_cast<std::size_t>(i) * stride, Bytes);
}

void copy_column(const std::byte* from, std::size_t stride, std::byte* to, std::size_t bytes,
                 std::int64_t rows) {
  if (bytes == 4) return copy_column<4>(from, stride, to, rows);
  if (bytes == 8) return copy_column<8>(from, stride, to, rows);
  if (bytes == 16) return copy_column<16>(from, stride, to, rows);
  for (std::int64_t i = 0; i < rows; ++i)
    std::memcpy(to + static_cast<std::size_t>(i) * bytes,
                from + static_cast<std::size_t>(i) * stride, bytes);
}

}  // namespace

std::size_t packed_bytes(const codegen::byte_ranges& parts, std::int64_t rows) {
  std::size_t bytes = 0;
  for (const auto& part : parts) bytes += piece_bytes(part, rows);
  return bytes;
}

detail::buffer packed_parts(const detail::row_set& set, std::int64_t first, std::int64_t rows,
                            const codegen::byte_ranges& parts, detail::workers& team,
                            memory::pool& memory, std::string_view owner) {
  constexpr std::int64_t rows_an_item = 16384, rows_in_cache = 256;
  detail::buffer packed(memory, packed_bytes(parts, rows), owner);
  const std::size_t stride = set.layout().size;
  const auto pack = [&](std::int64_t begin, const std::byte* records, std::int64_t n) {
    std::byte* piece = packed.data();
    for (const auto& part : parts) {
      copy_column(records + part.offset, stride,
                  piece + static_cast<std::size_t>(begin) * part.bytes, part.bytes, n);
      piece += piece_bytes(part, rows);
    }
  };
  const auto items = static_cast<std::size_t>(detail::ceil_div(rows, rows_an_item));
  detail::parallel_chunks(team, items, [&](std::size_t item, unsigned) {
    const std::int64_t begin = static_cast<std::int64_t>(item) * rows_an_item;
    const std::int64_t end = std::min(begin + rows_an_item, rows);
    for (std::int64_t row = begin; row < end; row += rows_in_cache)
      for_overlaps(set.chunks(), first + row, std::min(rows_in_cache, end - row),
                   [&](const auto& c, std::int64_t from, std::int64_t n) {
                     pack(from - first, c.data + static_cast<std::size_t>(from - c.first) * stride,
                          n);
                   });
  });
  return packed;
}

void place_parts(device_session& on, const devices::buffer& packed,
                 const codegen::byte_ranges& parts, std::int64_t rows, const devices::buffer& to,
                 std::size_t record_bytes) {
  static const program by_byte = specialised(place_text, "#define WORD uchar\n");
  static const program by_word = specialised(place_text, "#define WORD uint\n");
  const std::size_t word = record_bytes % 4 == 0 ? 4 : 1;
  const kernel_entry entry{"place_parts", word == 4 ? host::entry<on_host::place_4::place_parts>
                                                    : host::entry<on_host::place_1::place_parts>};
  const auto words = [&](std::size_t bytes) { return static_cast<std::int32_t>(bytes / word); };
  std::size_t at = 0;
  for (const auto& part : parts) {
    on.launch(word == 4 ? by_word : by_byte, entry, row_items(on, rows),
              {packed, static_cast<std::int64_t>(at / word), rows, words(part.bytes), to,
               words(record_bytes), words(part.offset)});
    at += piece_bytes(part, rows);
  }
}

}  // namespace pappus::chunk_loop

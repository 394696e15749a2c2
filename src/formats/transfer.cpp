#include "formats/transfer.h"
#include "base/memory_scale.h"
#include "pappus/detail/base/integers.h"

#include <algorithm>
#include <cstring>
#include <span>

namespace pappus::formats {
namespace {

constexpr std::size_t piece_bytes = std::size_t{1} << 20;
constexpr std::size_t slab_bytes_max = std::size_t{8} << 20;

std::size_t slab_bytes() { return base::scaled(slab_bytes_max); }

// Calls move(begin, end) for pieces of [0, total) in parallel.
template <typename Move>
void in_pieces(detail::workers& team, std::size_t total, std::size_t piece, Move&& move) {
  detail::parallel_chunks(team, detail::ceil_div(total, piece), [&](std::size_t item, unsigned) {
    move(item * piece, std::min((item + 1) * piece, total));
  });
}

// Calls move(first, rows, scratch) for runs of records whose file form fits into the scratch slab
// they get a part of.
template <typename Move>
void in_slabs(detail::workers& team, detail::memory_source& memory, const std::string& owner,
              const record_map& map, std::int64_t n, Move&& move) {
  const std::size_t rows_per_slab = std::max<std::size_t>(slab_bytes() / map.file_bytes, 1);
  const std::size_t rows_per_piece = std::max<std::size_t>(piece_bytes / 4 / map.file_bytes, 1);
  const auto total = static_cast<std::size_t>(n);
  const detail::buffer scratch(memory, std::min(rows_per_slab, total) * map.file_bytes, owner);
  for (std::size_t first = 0; first < total; first += rows_per_slab) {
    const std::size_t rows = std::min(rows_per_slab, total - first);
    in_pieces(team, rows, rows_per_piece, [&](std::size_t begin, std::size_t end) {
      move(first + begin, end - begin, scratch.data() + begin * map.file_bytes);
    });
  }
}

/// Of numbers of `each` bytes.
void swap_bytes(std::byte* numbers, std::size_t bytes, std::size_t each) noexcept {
  for (std::size_t at = 0; at < bytes; at += each) std::reverse(numbers + at, numbers + at + each);
}

void load_fields(const record_map& map, const std::byte* from, std::byte* to) noexcept {
  std::memset(to, 0, map.record_bytes);
  for (const record_map::field& field : map.fields) {
    std::memcpy(to + field.record_offset, from + field.file_offset, field.bytes);
    if (field.swapped != 0) swap_bytes(to + field.record_offset, field.bytes, field.swapped);
    if (!field.boolean) continue;
    for (std::size_t i = 0; i < field.bytes; ++i) {
      std::byte& value = to[field.record_offset + i];
      value = std::byte{value != std::byte{0}};
    }
  }
}

void store_fields(const record_map& map, const std::byte* from, std::byte* to) noexcept {
  for (const record_map::field& field : map.fields) {
    std::memcpy(to + field.file_offset, from + field.record_offset, field.bytes);
  }
}

}  // namespace

void record_map::merge() {
  std::vector<field> merged;
  for (const field& next : fields) {
    if (!merged.empty()) {
      field& last = merged.back();
      if (last.boolean == next.boolean && last.swapped == next.swapped &&
          last.file_offset + last.bytes == next.file_offset &&
          last.record_offset + last.bytes == next.record_offset) {
        last.bytes += next.bytes;
        continue;
      }
    }
    merged.push_back(next);
  }
  fields = std::move(merged);
}

bool record_map::verbatim() const noexcept {
  return fields.size() == 1 && !fields[0].boolean && fields[0].swapped == 0 &&
         fields[0].file_offset == 0 && fields[0].record_offset == 0 &&
         fields[0].bytes == file_bytes && file_bytes == record_bytes;
}

std::size_t record_map::scratch_bytes() const noexcept {
  return verbatim() ? 0 : std::max(slab_bytes(), file_bytes);
}

void load_records(const record_map& map, const std::byte* from, std::byte* to, std::int64_t n) {
  for (std::int64_t i = 0; i < n; ++i, from += map.file_bytes, to += map.record_bytes)
    load_fields(map, from, to);
}

void store_records(const record_map& map, const std::byte* from, std::byte* to, std::int64_t n) {
  for (std::int64_t i = 0; i < n; ++i, from += map.record_bytes, to += map.file_bytes)
    store_fields(map, from, to);
}

void read_records(detail::workers& team, detail::memory_source& memory, const byte_source& source,
                  std::int64_t offset, const record_map& map, std::byte* records, std::int64_t n) {
  if (n == 0) return;
  if (map.verbatim()) {
    const std::size_t total = static_cast<std::size_t>(n) * map.file_bytes;
    in_pieces(team, total, piece_bytes, [&](std::size_t begin, std::size_t end) {
      source.read(offset + static_cast<std::int64_t>(begin), {records + begin, end - begin});
    });
    return;
  }
  in_slabs(team, memory, source.name(), map, n,
           [&](std::size_t first, std::size_t rows, std::byte* scratch) {
             source.read(offset + static_cast<std::int64_t>(first * map.file_bytes),
                         {scratch, rows * map.file_bytes});
             load_records(map, scratch, records + first * map.record_bytes,
                          static_cast<std::int64_t>(rows));
           });
}

void write_records(detail::workers& team, detail::memory_source& memory, output_file& file,
                   std::int64_t offset, const record_map& map, const std::byte* records,
                   std::int64_t n) {
  if (n == 0) return;
  if (map.verbatim()) {
    const std::size_t total = static_cast<std::size_t>(n) * map.file_bytes;
    in_pieces(team, total, piece_bytes, [&](std::size_t begin, std::size_t end) {
      file.write(offset + static_cast<std::int64_t>(begin), {records + begin, end - begin});
    });
    return;
  }
  in_slabs(team, memory, file.name(), map, n,
           [&](std::size_t first, std::size_t rows, std::byte* scratch) {
             store_records(map, records + first * map.record_bytes, scratch,
                           static_cast<std::int64_t>(rows));
             file.write(offset + static_cast<std::int64_t>(first * map.file_bytes),
                        {scratch, rows * map.file_bytes});
           });
}

}  // namespace pappus::formats

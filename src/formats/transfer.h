// Moves records between a file and memory where both hold them in fixed-size binary form.
//
// If they lie in the file as in memory, workers read straight into the caller's records, a mebibyte
// each at a time. Otherwise the fields are copied through a scratch slab of bounded size.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "formats/byte_source.h"
#include "formats/output_file.h"
#include "pappus/detail/base/memory.h"
#include "pappus/detail/base/parallel.h"

namespace pappus::formats {

/// Maps the bytes of a record in a file to those of a record in memory.
struct record_map {
  struct field {
    std::size_t file_offset;
    std::size_t record_offset;
    std::size_t bytes;
    bool boolean =
        false;  ///< when read, nonzero bytes become 1: a bool must hold nothing but 0 and 1
    /// Bytes of its numbers, which are in the other order in the file; 0: they aren't.
    std::size_t swapped = 0;
  };

  std::size_t file_bytes = 0;    ///< of a record in the file
  std::size_t record_bytes = 0;  ///< of a record in memory
  std::vector<field> fields;

  /// The map of records that lie in the file as in memory.
  static record_map identical(std::size_t bytes) { return {bytes, bytes, {{0, 0, bytes}}}; }

  /// Merges fields that are neighbours on both sides.
  void merge();

  /// Whether records lie in the file as in memory.
  bool verbatim() const noexcept;

  /// The most bytes that reading or writing takes from the memory_source.
  std::size_t scratch_bytes() const noexcept;
};

/// Makes `n` records of those that lie in `from` as in a file. Bytes that no field covers become
/// zero.
void load_records(const record_map& map, const std::byte* from, std::byte* to, std::int64_t n);
/// The other way. No field is swapped.
void store_records(const record_map& map, const std::byte* from, std::byte* to, std::int64_t n);

/// Reads `n` records from `offset` on. Bytes of a record that no field covers become zero, unless
/// map.verbatim().
void read_records(detail::workers& team, detail::memory_source& memory, const byte_source& source,
                  std::int64_t offset, const record_map& map, std::byte* records, std::int64_t n);

/// Writes `n` records from `offset` on.
void write_records(detail::workers& team, detail::memory_source& memory, output_file& file,
                   std::int64_t offset, const record_map& map, const std::byte* records,
                   std::int64_t n);

}  // namespace pappus::formats

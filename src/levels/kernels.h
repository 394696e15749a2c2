// The vector loops of the library, compiled once for each level (level.h) and chosen at run time.
//
// Problem: a library of one level either is slow where there are wider vectors or stops with an
// illegal instruction where there are none. And compilers' vector types that are wider than the
// registers are broken up: g++ 12 takes 64 bytes through memory where registers have 32, and
// running sums take twice the time (3.6 instead of 7.7 numbers a nanosecond).
//
// Idea: v2.cpp, v3.cpp and v4.cpp are the same plain files (unit/), compiled with another -march
// each, and vectors are as wide as the level's registers. Each unit fills one table of functions.
// A session takes the table of the processor's level, or of PAPPUS_LEVEL; calls go through the
// table, a block of rows at a time. Levels give the same bits: all here is integers.
//
// The trap: inline functions and templates of others' headers are weak symbols, of which the linker
// takes any copy, maybe the one for AVX-512, for code that any processor runs. So all functions of
// a unit are in unnamed namespaces, and what they call of others is always inlined. A unit's one
// symbol is its table; tests/package/levels.py looks.
//
// Alternatives: Google Highway. On Zen 5 (g++ 12, clang 19, 32-bit running sums in L2, numbers a
// nanosecond) it gave 8.7 and 8.9 against 7.7 and 8.9 here at v3, 12.1 and 11.8 against 14.0 and
// 14.3 at v4, the same past the caches; scanning CSV 28 to 37 GB/s against 29 to 38. Its levels
// aren't the psABI's (they want AES, too, and -march=x86-64-v3 becomes SSSE3), and it is a library
// to install, for a dozen loops. Resolvers of the linker (target_clones) choose before main, where
// no variable and no test can say otherwise.
//
// Not here: loops over users' functions, which are compiled in the user's program with its flags;
// loops of sorts, partitions and group tables, which were as quick compiled for v2 as for v4 (they
// wait for memory); what cells of CSV say, for they are shorter than a vector of 16 bytes.
#pragma once

#include <cstddef>
#include <cstdint>

#include "levels/join_buckets.h"
#include "levels/level.h"

namespace pappus::levels {

/// What a piece of CSV text contributes, for either state at its first byte (index 0: outside
/// quotes, 1: inside); formats/csv/csv_scan.h.
struct rows_scanned {
  std::int64_t row_ends[2];  ///< newlines that end a row
  std::int64_t last_end[2];  ///< offset of the last of them, -1 if there is none
  bool toggles;              ///< whether the state at the end differs from that at the start
};

/// For what they do see pappus/detail/base/stream.h, which calls the first ones.
struct kernels {
  void (*copy_past_caches)(std::byte* to, const std::byte* from, std::size_t bytes) noexcept;
  std::uint32_t (*running_sums_32)(std::uint32_t before, const std::uint32_t* from,
                                   std::uint32_t* to, std::int64_t n, bool past_caches) noexcept;
  std::uint64_t (*running_sums_64)(std::uint64_t before, const std::uint64_t* from,
                                   std::uint64_t* to, std::int64_t n, bool past_caches) noexcept;
  std::int64_t (*compress_32)(const std::uint32_t* values, const std::uint8_t* keep, std::int64_t n,
                              std::uint32_t* to) noexcept;
  std::int64_t (*compress_64)(const std::uint64_t* values, const std::uint8_t* keep, std::int64_t n,
                              std::uint64_t* to) noexcept;

  rows_scanned (*scan_csv_rows)(const char* text, std::size_t bytes) noexcept;
  /// Writes where delimiters, newlines and quotes are in the text, of so many times 64 bytes, at
  /// most 2^16; returns how many they are. `ends` has room for 8 more.
  std::size_t (*list_csv_ends)(const char* text, std::size_t blocks, char delimiter,
                               std::uint16_t* ends) noexcept;

  /// The home buckets of n keys.
  void (*join_places_32)(const join_buckets& buckets, const std::uint32_t* keys, std::size_t n,
                         std::uint64_t* places) noexcept;
  void (*join_places_64)(const join_buckets& buckets, const std::uint64_t* keys, std::size_t n,
                         std::uint64_t* places) noexcept;
  /// Puts n keys into cleared or partly filled buckets, with row numbers of 32 bits: a key's entry
  /// counts its rows and has the first of them. Raises *most to the largest count. False when a
  /// key's region is full.
  bool (*join_insert_32)(const join_buckets& buckets, const std::uint32_t* keys,
                         const std::uint32_t* rows, std::size_t n, std::uint32_t* most) noexcept;
  bool (*join_insert_64)(const join_buckets& buckets, const std::uint64_t* keys,
                         const std::uint32_t* rows, std::size_t n, std::uint32_t* most) noexcept;
  /// Sets first[i] and count[i] to key i's entry in its home bucket, for n < 2^16 and row numbers
  /// of 32 bits. Writes to `aside`, which has room for n, those i whose key may be in the bucket
  /// behind, and returns how many they are.
  std::size_t (*join_find_32)(const join_buckets& buckets, const std::uint32_t* keys,
                              const std::uint64_t* places, std::size_t n, std::uint64_t* first,
                              std::uint64_t* count, std::uint16_t* aside) noexcept;
  std::size_t (*join_find_64)(const join_buckets& buckets, const std::uint64_t* keys,
                              const std::uint64_t* places, std::size_t n, std::uint64_t* first,
                              std::uint64_t* count, std::uint16_t* aside) noexcept;
};

/// The table of a level that is available.
const kernels& kernels_of(level of) noexcept;

/// Makes all threads call the kernels of this level from now on.
void use(level of) noexcept;
level in_use() noexcept;

/// The kernels of the level in use: the highest that is available until use() is called.
const kernels& own() noexcept;

}  // namespace pappus::levels

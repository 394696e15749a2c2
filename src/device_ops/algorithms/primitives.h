// Untyped algorithms on device memory that operators are made of.
//
// All of them enqueue on device_session::kernels(), in order with what the caller enqueues there,
// and block only where they say so. They append buffers that their kernels use to `kept`, which
// must live until these kernels are done: hold it as long as the job's own buffers. Calls are made
// by the device's one thread and throw device_error. Results depend on the data alone, not on the
// device.
//
// Not here: anything that calls an element function.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "chunk_loop/device_session.h"

namespace pappus::device_ops {

using namespace chunk_loop;  // what the algorithms are made of

using kept_buffers = std::vector<memory::device_buffer_ptr>;

/// Row numbers are uint: chunks are shorter than this.
inline constexpr std::int64_t chunk_rows_max = 0xffffffff;

/// Replaces each of n integers by the sum of those before it, and writes the sum of all behind the
/// last, where there must be room. Sums wrap.
///
/// \param value_bytes  4 or 8.
void exclusive_scan(device_session& on, const devices::buffer& values, std::int64_t n,
                    std::size_t value_bytes, std::string_view owner, kept_buffers& kept);

/// Writes 0, 1, ..., n - 1, each 4 bytes.
void number_rows(device_session& on, const devices::buffer& rows, std::int64_t n);

/// Sorts n keys, ascending, and with each a payload of 4 bytes (a row's number); equal keys keep
/// their order. Blocks once, to look at the keys: if they are sorted already that is all it does,
/// and it makes no passes over bits in which all keys agree.
///
/// \param keys       unsigned integers of key_bytes: 4 or 8. Replaced by another buffer if that one
///                   holds the result.
/// \param rows       the payloads, replaced likewise; null where keys have none.
/// \param n          at most chunk_rows_max.
void radix_sort(device_session& on, memory::device_buffer_ptr& keys,
                memory::device_buffer_ptr& rows, std::int64_t n, std::size_t key_bytes,
                std::string_view owner, kept_buffers& kept);

/// to[i] = from[rows[i]] for n records of any size. Buffers don't overlap.
void gather(device_session& on, const devices::buffer& from, std::size_t record_bytes,
            const devices::buffer& rows, std::int64_t n, const devices::buffer& to);

/// The runs of equal keys in sorted keys.
struct segments {
  std::int64_t count = 0;
  memory::device_buffer_ptr starts;  ///< uint: the first row of each run, then n
  memory::device_buffer_ptr keys;    ///< the key of each run
};

/// Finds the runs among n sorted keys, at most chunk_rows_max. Blocks once, for the number of runs.
/// \param cut  a power of two, where blocks of rows aren't a work-item's: long runs are cut into
///             pieces of less than twice as many rows, of which each counts as a run. 0: none are.
segments find_segments(device_session& on, const devices::buffer& keys, std::int64_t n,
                       std::size_t key_bytes, std::string_view owner, kept_buffers& kept,
                       std::uint32_t cut = 0);

}  // namespace pappus::device_ops

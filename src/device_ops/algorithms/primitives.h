// Untyped algorithms on device memory that operators are made of.
//
// All of them enqueue on session.kernels(), in order with what the caller enqueues there, and only
// wait where they say so. Memory that they need meanwhile goes to `kept`, which must live until the
// queue has got there: hold it as long as the job's own buffers. Calls are made by the device's one
// thread and throw device_error. Results depend on the data alone, not on the device.
//
// Not here: anything that calls an element function.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "chunk_loop/device_session.h"

namespace pappus::device_ops {

using namespace chunk_loop;  // what they are made of

using kept_buffers = std::vector<memory::device_buffer_ptr>;

/// Row numbers are uint: chunks are shorter than this.
inline constexpr std::int64_t chunk_rows_max = 0xffffffff;

/// Replaces each of n integers by the sum of those before it, and what is behind them, for which
/// there must be room, by the sum of all. Sums wrap.
///
/// \param value_bytes  4 or 8.
void exclusive_scan(device_session& on, const devices::buffer& values, std::int64_t n,
                    std::size_t value_bytes, std::string_view owner, kept_buffers& kept);

/// Writes 0, 1, ..., n - 1, each 4 bytes.
void number_rows(device_session& on, const devices::buffer& rows, std::int64_t n);

/// Sorts n keys, ascending, and with each a payload of 4 bytes (a row's number); equal keys keep
/// their order. Waits once, for a look at the keys. Keys that are sorted already cost that look,
/// and bits in which all keys agree nothing.
///
/// \param keys       unsigned integers of key_bytes: 4 or 8. The block is exchanged for another one
///                   when that holds the result; so is
/// \param rows       which is null where keys are all there is.
/// \param n          at most chunk_rows_max.
void radix_sort(device_session& on, memory::device_buffer_ptr& keys,
                memory::device_buffer_ptr& rows, std::int64_t n, std::size_t key_bytes,
                std::string_view owner, kept_buffers& kept);

/// to[i] = from[rows[i]] for n records of any size. Buffers don't overlap.
void gather(device_session& on, const devices::buffer& from, std::size_t record_bytes,
            const devices::buffer& rows, std::int64_t n, const devices::buffer& to);

/// Runs of equal keys.
struct segments {
  std::int64_t count = 0;
  memory::device_buffer_ptr starts;  ///< uint: the first row of each, and n behind the last
  memory::device_buffer_ptr keys;    ///< of each
};

/// Finds the runs among n sorted keys, at most chunk_rows_max. Waits once, for their number.
segments find_segments(device_session& on, const devices::buffer& keys, std::int64_t n,
                       std::size_t key_bytes, std::string_view owner, kept_buffers& kept);

}  // namespace pappus::device_ops

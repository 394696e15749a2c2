// Uploads only the parts of wide records that are read.
//
// Problem: a stage that reads 12 bytes of records of 80 waits for 80 to be copied, and the link to
// a device is slower than the host's memory.
//
// Idea: the host's threads pack the parts, each part of all rows in one piece; these are copied,
// and a kernel puts them where they belong in a buffer of whole records, in which what lies between
// them is never read. So kernels, and what they know of records, stay as they are. Device memory is
// many times faster than the link, and packing reads the records at the speed of the host's memory
// (25 GB/s a core measured, 46 GB/s for two), while the link is busy with the chunk before. Whether
// it pays is the planner's to say (plan/place.cpp).
//
// Alternatives: kernels that read packed records (less device memory and traffic, but every
// operator's text and functions compiled for offsets in records would exist twice); strided copies
// by the driver (a transfer a row).
#pragma once

#include <cstdint>
#include <string_view>

#include "chunk_loop/device_session.h"
#include "codegen/element/read_bytes.h"
#include "pappus/detail/base/chunks.h"
#include "pappus/detail/base/parallel.h"

namespace pappus::chunk_loop {

/// The parts of rows [first, first + rows) in host memory. Throws memory_error.
detail::buffer packed_parts(const detail::row_set& set, std::int64_t first, std::int64_t rows,
                            const codegen::byte_ranges& parts, detail::workers& team,
                            memory::pool& memory, std::string_view owner);
std::size_t packed_bytes(const codegen::byte_ranges& parts, std::int64_t rows);

/// Enqueues the kernels that put packed parts where they belong in `to`, a buffer of whole records.
void place_parts(device_session& on, const devices::buffer& packed,
                 const codegen::byte_ranges& parts, std::int64_t rows, const devices::buffer& to,
                 std::size_t record_bytes);

}  // namespace pappus::chunk_loop

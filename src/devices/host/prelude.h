// The host's prelude: what lets the text of a kernel be compiled as C++.
//
// A kernel's text is a real file (device_ops/text/) that OpenCL and CUDA compile after their own
// preludes. Included in a .cpp after this header, inside a namespace of its own, the same text
// becomes host functions, which entry.h calls work-item by work-item. So devices that run host
// functions execute the very text that real devices do, under the sanitizers of the host.
//
// A host is like a CPU: few work-items that walk blocks of rows, no barriers. Text for others
// stands between `#if !LIKE_CPU` and `#endif`.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace pappus::devices::host {

struct work_item {
  std::size_t item = 0, items = 1;
};
inline thread_local work_item current;

}  // namespace pappus::devices::host

using uchar = unsigned char;
using ushort = unsigned short;
using uint = unsigned int;
using ulong = unsigned long;
static_assert(sizeof(ulong) == 8);

#define LIKE_CPU 1
#define KERNEL [[maybe_unused]] static
#define DEVICE [[maybe_unused]] static inline
#define GLOBAL
#define CONSTANT const
#define ITEM (static_cast<ulong>(::pappus::devices::host::current.item))
#define ITEMS (static_cast<ulong>(::pappus::devices::host::current.items))

// The rows of this work-item: a block of consecutive ones where it is like a CPU, else every
// ITEMS-th.
#define ROWS_BEGIN(rows) (static_cast<long>(static_cast<ulong>(rows) * ITEM / ITEMS))
#define ROWS_END(rows) (static_cast<long>(static_cast<ulong>(rows) * (ITEM + 1) / ITEMS))
#define FOR_ROWS(row, rows) \
  for (long row = ROWS_BEGIN(rows), row##_end = ROWS_END(rows); row < row##_end; ++row)
#define WIDE
#define INDEPENDENT_ROWS

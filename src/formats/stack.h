// Files that hold arrays of equal extents, as one array of a dimension more: the days of a
// satellite's pictures, one a file.
//
// A chunk of it is a chunk of one of the files. All of them are looked at when the stack is opened,
// and may be of different formats; after that only so many stay open as leave the process file
// descriptors for other things. The others are opened again when they are read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "formats/array_file.h"
#include "pappus/detail/base/columns.h"

namespace pappus::formats {

/// Opens the arrays that paths name, each as open_array() does, which throws what it throws; of
/// others than the first also format_error where they are unlike it: in extents, chunks or the
/// element of chunks that are missing. No paths are a usage_error.
/// \param rank, extents  of one of them
std::unique_ptr<array_file> open_stack(const std::vector<std::string>& paths,
                                       const detail::record_layout& layout, std::size_t rank,
                                       const std::vector<std::int64_t>& extents);

}  // namespace pappus::formats

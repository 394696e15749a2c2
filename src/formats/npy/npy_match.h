// Decides how the items of an NPY file become records, and how records are written to one.
//
// Items of a structured dtype are a record each (item_match.h), and so are the d scalars of a row
// in a file of shape [n] or [n, d].
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "formats/item_match.h"
#include "formats/npy/npy_header.h"
#include "formats/record_schema.h"
#include "formats/transfer.h"
#include "pappus/detail/base/columns.h"

namespace pappus::formats {

struct npy_match {
  record_map map;
  std::int64_t rows = 0;
};

array_item item_of(const npy_header& header);

/// Throws format_error naming what the record expects and what the file has.
npy_match match_npy(const std::string& file, const npy_header& header,
                    const detail::record_layout& layout);

/// What the header says. Throws format_error for shapes that can't be read as records.
record_schema npy_schema(const byte_source& source);

/// How records are written.
struct npy_plan {
  record_map map;
  std::string descr;                  ///< the dtype, a Python literal
  std::vector<std::int64_t> extents;  ///< the shape without its first extent
};

/// A record without names whose fields are of one type becomes a row of scalars, any other an item
/// of a structured dtype without padding. Throws usage_error for records whose fields are not known
/// or can't be written.
npy_plan plan_npy(const std::string& file, const detail::record_layout& layout);

/// The same as match_npy(), and the file's items are those that records are written as.
npy_match match_to_add(const std::string& file, const npy_header& header,
                       const detail::record_layout& layout);

}  // namespace pappus::formats

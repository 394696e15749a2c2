// Decides how the items of an NPY file become records, and how records are written to one.
//
// A record with named columns takes the fields of a structured dtype by name; others are left out.
// A record without names takes them by position. A file of plain scalars, shape [n] or [n, d],
// gives its d scalars to the record's fields in the order of the bindings. If nothing is known of
// the record but its size, sizes must agree. Types must agree exactly: a silent conversion would
// hide that a file is not what it was thought to be.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "formats/npy/npy_header.h"
#include "formats/transfer.h"
#include "pappus/detail/base/columns.h"

namespace pappus::formats {

struct npy_match {
  record_map map;
  std::int64_t rows = 0;
};

/// Throws format_error naming what the record expects and what the file has.
npy_match match_npy(const std::string& file, const npy_header& header,
                    const detail::record_layout& layout);

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

}  // namespace pappus::formats

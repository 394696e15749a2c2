// The header of an NPY file (NumPy enhancement proposal 1): magic, version, and a Python dictionary
// literal with three keys.
//
//     \x93NUMPY 01 00 <length> {'descr': '<f8', 'fortran_order': False, 'shape': (3, 2), }
//
// Only the Python needed for that is understood: strings, integers, True and False, tuples, lists.
// Nested structured types, titles of fields and Python objects are refused.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "formats/byte_source.h"
#include "pappus/detail/base/columns.h"

namespace pappus::formats {

/// A field of a file's items: `count` scalars of one dtype.
struct npy_field {
  std::string name;
  std::string dtype;  ///< as the file spells it: "<f4"
  std::optional<detail::cell>
      type;              ///< none for dtypes that no field of a record can hold: text, ...
  bool swapped = false;  ///< a big-endian number, whose bytes come in the other order
  std::size_t scalar_bytes = 0;
  std::size_t count = 1;
  std::size_t offset = 0;  ///< in the item

  std::size_t bytes() const noexcept { return scalar_bytes * count; }
};

struct npy_header {
  bool structured = false;
  std::vector<npy_field> fields;  ///< if not structured: one field, without a name
  std::size_t item_bytes = 0;
  bool fortran_order = false;
  std::vector<std::int64_t> shape;
  std::int64_t shape_offset = 0, shape_bytes = 0;  ///< where the file tells it
  std::int64_t data_offset = 0;
};

/// Reads the header. Throws format_error saying what is wrong with it.
npy_header read_npy_header(const byte_source& source);

/// The header's bytes from shape_offset on, for another first extent. Throws format_error where
/// there is no room for it.
std::string npy_header_end(const byte_source& source, const npy_header& header, std::int64_t rows);

/// The header of a file of items of `descr`, a Python literal, and of this shape. Its length is the
/// same for every first extent up to 2^63 - 1, so that it can be overwritten later.
std::string print_npy_header(const std::string& descr, const std::vector<std::int64_t>& shape);

/// The dtype of a cell as NPY spells it: "<f4". `type` is not string.
std::string npy_dtype(detail::cell type);

/// Whether scalars of the file's `type` may be read into cells of type `bound` as they are.
bool npy_compatible(detail::cell type, detail::cell bound) noexcept;

}  // namespace pappus::formats

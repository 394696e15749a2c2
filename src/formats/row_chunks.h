// Arrays that lie in a file element by element, without chunks of its own: NPY and raw. Chunks are
// whole rows then, as many as make about a mebibyte, whatever reads them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "formats/array_file.h"
#include "formats/array_type.h"
#include "formats/byte_source.h"
#include "formats/output_file.h"

namespace pappus::formats {

/// Where and how elements lie in a file.
struct element_file {
  std::string kind;  ///< "npy"
  std::int64_t offset = 0;
  element_match elements;
  bool fortran_order = false;  ///< the first dimension's elements lie one after another
  std::string name{};          ///< of the array, for messages; empty: the file's
};

/// A chunk of elements that lie one after another, those along the last dimension first: whole rows
/// that make about a mebibyte.
std::vector<std::int64_t> row_chunk(const std::vector<std::int64_t>& extents,
                                    std::size_t element_bytes);

/// Throws format_error where the file is shorter than its elements.
std::unique_ptr<array_file> open_element_file(std::unique_ptr<byte_source> source,
                                              element_file what);

/// Writes elements in row-major order behind a header.
/// \param chunk  empty: rows that make about a mebibyte; else it has whole rows of all dimensions
///               but the slowest that is cut. Throws usage_error for others
std::unique_ptr<array_writer> create_element_file(const std::string& path, std::string header,
                                                  element_plan plan,
                                                  const std::vector<std::int64_t>& extents,
                                                  const array_options& options);

}  // namespace pappus::formats

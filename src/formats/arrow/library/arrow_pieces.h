// Arrow's arrays and types as those of arrow_library.h, and back.
#pragma once

#include <arrow/array.h>
#include <arrow/type.h>

#include <memory>
#include <string>

#include "formats/arrow/arrow_library.h"
#include "formats/arrow/library/arrow_streams.h"

namespace pappus::formats {

/// What can't be known in these words is of kind `other`.
arrow_column describe_column(const arrow::Field& field);

/// The array's values, which keep it, and the memory that it is from.
arrow_piece describe_piece(const std::shared_ptr<arrow::Array>& array,
                           const std::shared_ptr<charged_pool>& pool);

/// The type that columns of this kind are written as.
std::shared_ptr<arrow::DataType> arrow_type(const arrow_column& column);

/// The piece as an array, which must not outlive it.
std::shared_ptr<arrow::Array> arrow_array(const std::shared_ptr<arrow::DataType>& type,
                                          const arrow_piece& piece);

}  // namespace pappus::formats

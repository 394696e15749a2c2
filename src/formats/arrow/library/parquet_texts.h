// Texts of a Parquet column as a piece of their own.
#pragma once

#include <arrow/buffer.h>
#include <parquet/types.h>

#include <cstdint>
#include <memory>
#include <span>

#include "formats/arrow/arrow_library.h"
#include "formats/arrow/library/arrow_streams.h"

namespace pappus::formats {

/// Copies of texts, for `rows` rows.
/// \param texts  of the rows that have one
/// \param valid  bits, 0 where a row has none; null: all have
/// \throws arrow_problem  for 2 GiB of text or more
arrow_piece piece_of_texts(std::span<const parquet::ByteArray> texts,
                           std::shared_ptr<arrow::Buffer> valid, std::int64_t rows,
                           const std::shared_ptr<charged_pool>& pool);

}  // namespace pappus::formats

#include "formats/arrow/library/parquet_texts.h"

#include <arrow/array.h>
#include <arrow/type.h>

#include <cstring>
#include <limits>
#include <utility>

#include "formats/arrow/arrow_bits.h"
#include "formats/arrow/library/arrow_pieces.h"

namespace pappus::formats {

arrow_piece piece_of_texts(std::span<const parquet::ByteArray> texts,
                           std::shared_ptr<arrow::Buffer> valid, std::int64_t rows,
                           const std::shared_ptr<charged_pool>& pool) {
  std::int64_t bytes = 0;
  for (const auto& one : texts) bytes += one.len;
  if (bytes > std::numeric_limits<std::int32_t>::max())
    throw arrow_problem("a page or dictionary has 2 GiB of text or more");
  const auto nulls = rows - std::ssize(texts);
  std::shared_ptr<arrow::Buffer> places =
      check(arrow::AllocateBuffer((rows + 1) * std::int64_t{4}, pool.get()));
  std::shared_ptr<arrow::Buffer> all = check(arrow::AllocateBuffer(bytes, pool.get()));
  auto* const begins = places->mutable_data_as<std::int32_t>();
  auto* const text = all->mutable_data();
  const auto* next = texts.data();
  std::int32_t end = 0;
  for (std::int64_t row = 0; row < rows; ++row) {
    begins[row] = end;
    if (nulls > 0 && !bit_of(valid->data(), row)) continue;
    if (next->len > 0) std::memcpy(text + end, next->ptr, next->len);
    end += static_cast<std::int32_t>(next++->len);
  }
  begins[rows] = end;
  if (nulls == 0) valid = nullptr;
  const auto array = arrow::MakeArray(arrow::ArrayData::Make(
      arrow::binary(), rows, {std::move(valid), std::move(places), std::move(all)}, nulls));
  return describe_piece(array, pool);
}

}  // namespace pappus::formats

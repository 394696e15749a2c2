// Columns of a Parquet file that were decoded, of which records are made where they are read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "formats/arrow/arrow_cells.h"
#include "pappus/detail/base/chunks.h"

namespace pappus::formats {

/// Of a dictionary's texts, for a field that is a category.
using category_codes = std::vector<std::uint32_t>;
inline std::span<const std::uint32_t> codes_in(const std::shared_ptr<const category_codes>& codes) {
  return codes ? std::span(*codes) : std::span<const std::uint32_t>();
}

/// Some consecutive values of a column.
struct arrow_stretch {
  std::int64_t first = 0, rows = 0;  ///< of records
  std::int64_t begin = 0;            ///< the first value's number in the piece
  arrow_piece piece;
  std::shared_ptr<const category_codes> codes{};
};

/// Whether records can be made of a piece's values without looking at each whether it can be had.
bool is_sure(const arrow_binding& binding, const arrow_piece& piece);

class arrow_columns final : public detail::record_maker {
 public:
  arrow_columns(std::shared_ptr<const std::vector<arrow_binding>> bound, std::size_t record_bytes)
      : bound_(std::move(bound)), record_bytes_(record_bytes), columns_(bound_->size()) {}

  /// In the order of records, of all that aren't left out. One thread at a time for a column.
  void add(std::size_t column, arrow_stretch next) { columns_[column].push_back(std::move(next)); }

  /// Records that are numbered, but have no columns. In order.
  void leave_out(std::int64_t first, std::int64_t rows);

  void make(std::int64_t first, std::int64_t rows, std::byte* out) const override;
  stretch next(std::int64_t first, std::int64_t end) const override;

 private:
  struct range {
    std::int64_t first, end;
  };
  std::shared_ptr<const std::vector<arrow_binding>> bound_;
  std::size_t record_bytes_;
  std::vector<std::vector<arrow_stretch>> columns_;
  std::vector<range> left_out_;  // that neither overlap nor touch
};

}  // namespace pappus::formats

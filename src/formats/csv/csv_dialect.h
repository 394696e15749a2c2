// How numbers, dates and times are written in a CSV file.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "formats/csv/csv_cell.h"
#include "pappus/detail/base/columns.h"
#include "pappus/time_format.h"

namespace pappus::formats {

class csv_dialect {
 public:
  csv_dialect() = default;
  /// Throws usage_error for what can't be right: marks that numbers are made of or that are the
  /// same, patterns that time_format refuses.
  csv_dialect(const detail::text_layout& layout, char delimiter);

  /// Whether numbers of that type are digits, and no others than std::from_chars takes.
  bool is_plain(detail::cell type) const noexcept {
    return thousands_ == 0 && (decimal_ == '.' || !is_float_cell(type));
  }

  bool has_iso_dates() const noexcept { return !date_; }

  /// As parse_cell of csv_cell.h, in this dialect.
  cell_outcome parse(detail::cell type, std::string_view text, std::byte* out) const noexcept;
  /// What is expected, for errors.
  std::string expected(detail::cell type) const;

  /// As print_value of csv_text.h.
  char* print(detail::cell type, const std::byte* value, char* at) const;
  std::size_t value_bytes_max() const noexcept;

 private:
  cell_outcome parse_number(detail::cell type, std::string_view text,
                            std::byte* out) const noexcept;
  bool has_good_thousands(std::string_view digits) const noexcept;

  char decimal_ = '.', thousands_ = 0;
  std::optional<time_format> date_, timestamp_;
};

}  // namespace pappus::formats

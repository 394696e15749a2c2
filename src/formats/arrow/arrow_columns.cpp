#include "formats/arrow/arrow_columns.h"

#include <algorithm>

namespace pappus::formats {
namespace {

using detail::cell;

bool is_unsigned(cell type) { return type >= cell::u8 && type <= cell::u64; }

/// Whether a field has all values of a column of integers.
bool has_all_of(cell from, cell to) {
  const auto bytes = detail::cell_bytes(from);
  if (to == cell::f32) return bytes <= 2;
  if (to == cell::f64) return bytes <= 4;
  if (is_unsigned(from) == is_unsigned(to)) return detail::cell_bytes(to) >= bytes;
  return is_unsigned(from) && detail::cell_bytes(to) > bytes;
}

template <typename Index>
bool are_numbers_of(const arrow_piece& texts, const arrow_piece& piece) {
  const auto* const numbers = static_cast<const Index*>(piece.values) + piece.first;
  Index least = 0, most = 0;
  for (std::int64_t i = 0; i < piece.rows; ++i) {
    least = std::min(least, numbers[i]);
    most = std::max(most, numbers[i]);
  }
  return least >= 0 && most < texts.rows;
}

bool are_texts(const arrow_piece& piece) {
  if (!piece.dictionary) return true;
  if (piece.width == 1) return are_numbers_of<std::int8_t>(*piece.dictionary, piece);
  if (piece.width == 2) return are_numbers_of<std::int16_t>(*piece.dictionary, piece);
  if (piece.width == 4) return are_numbers_of<std::int32_t>(*piece.dictionary, piece);
  return are_numbers_of<std::int64_t>(*piece.dictionary, piece);
}

}  // namespace

bool is_sure(const arrow_binding& binding, const arrow_piece& piece) {
  if (piece.nulls != 0 && binding.field.presence == 0) return false;
  switch (binding.from.kind) {
    case arrow_kind::f32:
    case arrow_kind::f64:
    case arrow_kind::boolean:
    case arrow_kind::date:
    case arrow_kind::list:
      return true;
    case arrow_kind::text:  // others are numbered one by one as categories, if there is room
      return are_texts(piece) && (piece.dictionary || binding.field.type == cell::string);
    case arrow_kind::timestamp:
      return binding.from.unit == 1'000'000;  // as records have them
    case arrow_kind::decimal:
    case arrow_kind::other:
      return false;
    default:
      return has_all_of(static_cast<cell>(binding.from.kind), binding.field.type);
  }
}

void arrow_columns::leave_out(std::int64_t first, std::int64_t rows) {
  if (!left_out_.empty() && left_out_.back().end == first)
    left_out_.back().end += rows;
  else
    left_out_.push_back({first, first + rows});
}

detail::record_maker::stretch arrow_columns::next(std::int64_t first, std::int64_t end) const {
  const auto at = std::ranges::upper_bound(left_out_, first, {}, &range::end);
  if (at == left_out_.end()) return {end};
  if (first < at->first) return {std::min(at->first, end)};
  return {std::min(at->end, end), true};
}

void arrow_columns::make(std::int64_t first, std::int64_t rows, std::byte* out) const {
  for (std::size_t which = 0; which < columns_.size(); ++which) {
    auto at = std::ranges::upper_bound(columns_[which], first, {}, &arrow_stretch::first) - 1;
    for (std::int64_t done = 0; done < rows; ++at) {
      const auto skip = first + done - at->first;
      const auto n = std::min(rows - done, at->rows - skip);
      fill_arrow_cells((*bound_)[which], at->piece, codes_in(at->codes), at->begin + skip, n,
                       out + static_cast<std::size_t>(done) * record_bytes_, record_bytes_);
      done += n;
    }
  }
}

}  // namespace pappus::formats

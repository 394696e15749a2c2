#include "run/parts_of_rows.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "algorithms/rows_in.h"
#include "base/memory_scale.h"

namespace pappus::run {
namespace {

/// Small enough that an operator with the least memory has room for several, large enough for a
/// disk.
std::size_t part_bytes_of(std::size_t limit) {
  constexpr std::size_t least = std::size_t{128} << 10, most = std::size_t{4} << 20;
  return base::scaled_clamp(limit / 64, least, most);
}

}  // namespace

parts_of_rows::parts_of_rows(const detail::record_type& layout, const resources& with,
                             std::string owner)
    : layout_(layout),
      with_(with),
      owner_(std::move(owner)),
      part_bytes_(part_bytes_of(with.memory->limit())),
      owners_(layout),
      texts_(layout, *with.memory, owner_) {}

void parts_of_rows::add(const detail::row_set& rows) {
  if (rows.rows() == 0) return;
  const double text = static_cast<double>(texts_.bytes_of(rows)) / static_cast<double>(rows.rows());
  const auto part_rows = std::max<std::int64_t>(
      1, static_cast<std::int64_t>(static_cast<double>(part_bytes_) /
                                   (static_cast<double>(layout_.size) + text)));
  std::int64_t first = rows_ > 0 ? fill(rows, 0) : 0;
  for (; rows.rows() - first >= part_rows; first += part_rows)
    keep(copied(rows, first, part_rows, with_.team, *with_.memory, owner_), part_rows, rows);
  while (first < rows.rows()) first = fill(rows, first);
  if (const auto* missing = rows.missing()) missing_.add(*missing);
  with_.store->expect(rows.bytes(), owner_);
}

/// Adds rows from `first` on to the last part until that is full, and tells which comes next.
std::int64_t parts_of_rows::fill(const detail::row_set& rows, std::int64_t first) {
  const std::size_t size = layout_.size;
  if (!has_text()) owners_.keep_text_of(rows);
  const auto room = std::max<std::int64_t>(1, static_cast<std::int64_t>(part_bytes_ / size));
  if (rows_ == 0)
    records_ = detail::buffer(*with_.memory, static_cast<std::size_t>(room) * size, owner_);
  for (std::size_t i = rows.find(first); first < rows.rows(); ++i) {
    const auto& chunk = rows.chunks()[i];
    for (; first < chunk.first + chunk.rows; ++first) {
      const auto* const from = chunk.data + static_cast<std::size_t>(first - chunk.first) * size;
      auto* const to = records_.data() + static_cast<std::size_t>(rows_++) * size;
      std::memcpy(to, from, size);
      text_bytes_ += texts_.bytes_of(to);
      texts_.copy(to);
      if (rows_ < room && static_cast<std::size_t>(rows_) * size + text_bytes_ < part_bytes_)
        continue;
      end_part();
      return first + 1;
    }
  }
  return first;
}

void parts_of_rows::end_part() {
  const auto rows = std::exchange(rows_, 0);
  const auto bytes = static_cast<std::size_t>(rows) * layout_.size;
  auto records = std::move(records_);
  if (bytes <= records.size() / 2) {
    detail::buffer fewer(*with_.memory, bytes, owner_);
    std::memcpy(fewer.data(), records.data(), bytes);
    records = std::move(fewer);
  }
  keep(std::move(records), rows, std::exchange(owners_, detail::row_set(layout_)));
  text_bytes_ = 0;
  texts_.take();  // there are copies of them
}

/// \param of  has what they point into, where that stays where it is.
void parts_of_rows::keep(detail::buffer records, std::int64_t rows, const detail::row_set& of) {
  auto set = algorithms::rows_in(std::move(records), layout_, rows, with_.memory);
  if (!has_text()) set->keep_text_of(of);
  parts_.push_back(has_text() ? with_.store->keep_with_text(std::move(set), with_.team, owner_)
                              : with_.store->keep(std::move(set)));
}

std::shared_ptr<graph::kept_rows> parts_of_rows::take() {
  if (rows_ > 0) end_part();
  return with_.store->in_parts(layout_, std::exchange(parts_, {}), std::exchange(missing_, {}));
}

}  // namespace pappus::run

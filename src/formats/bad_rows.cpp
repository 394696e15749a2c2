#include "formats/bad_rows.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace pappus {
namespace detail {

std::int64_t bad_row_list::count() const {
  const std::lock_guard lock(mutex_);
  return count_;
}

std::vector<bad_row> bad_row_list::first() const {
  const std::lock_guard lock(mutex_);
  std::vector<bad_row> rows;
  for (const auto& [at, row] : first_) rows.push_back(row);
  return rows;
}

bad_row_source::bad_row_source(std::shared_ptr<bad_row_list> list) : list_(std::move(list)) {
  const std::lock_guard lock(list_->mutex_);
  number_ = list_->sources_++;
}

void bad_row_source::add(const std::string& file, std::int64_t end, std::vector<found> bad) {
  const std::lock_guard lock(list_->mutex_);
  auto& known = known_to_[file];
  for (auto& one : bad) {
    if (one.row <= known) continue;
    ++list_->count_;
    auto& first = list_->first_;
    first.emplace(bad_row_list::place{number_, file, one.row}, std::move(one.what));
    if (first.size() > list_->keep_) first.erase(std::prev(first.end()));
  }
  known = std::max(known, end);
}

std::shared_ptr<bad_row_source> tells(const bad_row_log& log) {
  return std::make_shared<bad_row_source>(log.list_);
}

}  // namespace detail

std::ostream& operator<<(std::ostream& to, const bad_row& row) {
  to << row.file << ": line " << row.line;
  if (!row.column.empty()) to << ", column \"" << row.column << '"';
  return to << ": " << row.reason;
}

bad_row_log::bad_row_log(std::size_t keep) : list_(std::make_shared<detail::bad_row_list>(keep)) {}
std::int64_t bad_row_log::count() const { return list_->count(); }
std::vector<bad_row> bad_row_log::first() const { return list_->first(); }

namespace formats {

detail::record_layout deciding(detail::record_layout layout) {
  if (layout.text.bad_rows)
    for (auto& column : layout.columns) column.wanted = true;
  return layout;
}

std::int64_t count_read(reader& from, detail::workers& team, detail::memory_source& memory) {
  constexpr std::size_t bytes_at_once = std::size_t{1} << 20;
  const auto rows = std::max<std::size_t>(bytes_at_once / from.record_bytes(), 1);
  const detail::buffer records(memory, rows * from.record_bytes(), "counting rows");
  from.rewind();
  std::int64_t count = 0;
  while (const auto n = from.read(team, records.data(), static_cast<std::int64_t>(rows))) {
    count += n;
    from.take_strings();
  }
  from.rewind();
  return count;
}

}  // namespace formats
}  // namespace pappus

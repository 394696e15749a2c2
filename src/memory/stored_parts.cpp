#include "memory/stored_parts.h"

#include <algorithm>
#include <utility>

#include "memory/stored_rows.h"

namespace pappus::memory {
namespace {

std::vector<std::int64_t> ends_of(std::span<const std::shared_ptr<graph::kept_rows>> parts) {
  std::vector<std::int64_t> ends;
  ends.reserve(parts.size());
  for (const auto& part : parts) ends.push_back((ends.empty() ? 0 : ends.back()) + part->rows());
  return ends;
}

}  // namespace

stored_parts::stored_parts(std::shared_ptr<store> of, const detail::record_type& layout,
                           std::vector<std::shared_ptr<kept_rows>> parts,
                           detail::missing_counts missing)
    : store_(std::move(of)),
      layout_(layout),
      parts_(std::move(parts)),
      missing_(std::move(missing)),
      ends_(ends_of(parts_)) {}

detail::rows_ptr stored_parts::in_memory() {
  auto set = std::make_shared<detail::row_set>(layout_);
  for (const auto& part : parts_) {
    auto rows = part->in_memory();
    if (rows == nullptr) return nullptr;
    set->append(std::move(rows));
  }
  if (missing_.rows == rows()) set->know_missing(missing_);
  return set;
}

detail::rows_ptr stored_parts::wake(std::string_view owner, const detail::workers* for_whom) {
  auto set = std::make_shared<detail::row_set>(layout_);
  for (const auto& part : parts_) set->append(part->wake(owner, for_whom));
  if (missing_.rows == rows()) set->know_missing(missing_);
  return set;
}

bool stored_parts::lost() const noexcept {
  return std::ranges::any_of(parts_, [](const auto& part) { return part->lost(); });
}

std::size_t stored_parts::text_bytes(std::int64_t first, std::int64_t rows) const noexcept {
  std::size_t bytes = 0;
  auto i = static_cast<std::size_t>(std::ranges::upper_bound(ends_, first) - ends_.begin());
  for (const std::int64_t end = first + rows; i < parts_.size() && first < end; ++i) {
    const auto before = ends_[i] - parts_[i]->rows(), n = std::min(end, ends_[i]) - first;
    bytes += parts_[i]->text_bytes(first - before, n);
    first += n;
  }
  return bytes;
}

std::string stored_parts::about() {
  rows_where all;
  for (const auto& part : parts_) {
    const auto own = static_cast<stored_rows&>(*part).where();
    all.all += own.all;
    all.in_memory += own.in_memory;
    all.on_disk += own.on_disk;
    all.stays += own.stays;
    all.text_stays |= own.text_stays;
  }
  return store_->about(all);
}

}  // namespace pappus::memory

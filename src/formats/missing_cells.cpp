#include "formats/missing_cells.h"

#include <algorithm>

namespace pappus::formats {
namespace {

std::vector<std::size_t> presences_of(const detail::record_layout& layout) {
  std::vector<std::size_t> presences;
  for (const auto& column : layout.columns)
    if (column.presence != 0 && column.wanted) presences.push_back(column.presence);
  std::ranges::sort(presences);
  const auto twice = std::ranges::unique(presences);
  presences.erase(twice.begin(), twice.end());
  return presences;
}

}  // namespace

missing_cells::missing_cells(const detail::record_layout& layout)
    : record_bytes_(layout.bytes), presences_(presences_of(layout)), missing_(presences_.size()) {}

void missing_cells::add(const std::byte* records, std::int64_t n) noexcept {
  for (const auto presence : presences_) add_column(presence, records, n);
  add_rows(n);
}

void missing_cells::add_column(std::size_t presence, const std::byte* records,
                               std::int64_t n) noexcept {
  const auto at = std::ranges::lower_bound(presences_, presence);
  if (at == presences_.end() || *at != presence) return;
  std::int64_t there = 0;
  const auto* byte = records + presence;
  for (std::int64_t i = 0; i < n; ++i, byte += record_bytes_)
    there += std::to_integer<std::int64_t>(*byte);
  missing_[static_cast<std::size_t>(at - presences_.begin())].fetch_add(n - there,
                                                                        std::memory_order_relaxed);
}

detail::missing_counts missing_cells::take() {
  detail::missing_counts taken{.rows = rows_.exchange(0, std::memory_order_relaxed)};
  for (std::size_t i = 0; i < presences_.size(); ++i)
    taken.fields.push_back({presences_[i], missing_[i].exchange(0, std::memory_order_relaxed)});
  return taken;
}

}  // namespace pappus::formats

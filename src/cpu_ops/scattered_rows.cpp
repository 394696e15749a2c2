#include "cpu_ops/scattered_rows.h"

#include <utility>

#include "algorithms/rows_in.h"

namespace pappus::cpu_ops {

void scattered_rows::add(run_context& context, scattered_buffer made) {
  auto rows = std::make_shared<detail::row_set>(layout_);
  const auto n = static_cast<std::int64_t>(made.ends.back());
  append_buffer(*rows, std::move(made.records), n);
  auto kept = layout_.text == detail::text_in::views
                  ? context.store->keep_with_text(std::move(rows), context.team, context.owner)
                  : context.store->keep(std::move(rows));
  text_bytes_ += kept->text_bytes(0, n);
  sets_.push_back({std::move(kept), std::move(made.ends)});
}

std::size_t scattered_rows::rows(bucket_range which) const {
  std::size_t n = 0;
  if (which.first == which.last) return 0;
  for (const auto& one : sets_) n += one.ends[which.last - 1] - one.begin(which.first);
  return n;
}

std::size_t scattered_rows::next(bucket_range which, place& from, std::size_t most, std::byte* to,
                                 std::vector<graph::row_store::copy>& copies) const {
  std::size_t found = 0;
  while (found < most && from.set < sets_.size()) {
    const auto& set = sets_[from.set];
    const std::size_t begin = set.begin(which.first) + from.row, end = set.ends[which.last - 1];
    const std::size_t n = std::min(end - begin, most - found);
    if (n > 0)
      copies.push_back({set.records, static_cast<std::int64_t>(begin), static_cast<std::int64_t>(n),
                        to + found * record_bytes()});
    found += n;
    if (n == end - begin)
      from = {from.set + 1, 0};
    else
      from.row += n;
  }
  return found;
}

}  // namespace pappus::cpu_ops

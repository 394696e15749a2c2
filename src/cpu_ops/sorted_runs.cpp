#include "cpu_ops/sorted_runs.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "algorithms/rows_in.h"
#include "cpu_ops/run_merge.h"

namespace pappus::cpu_ops {
namespace {

constexpr std::int64_t stretch_bytes_max = std::int64_t{8} << 10;  // from sample to sample

/// Neighbouring samples are so far apart that a range from two runs, at least, fits.
std::int64_t step_of(std::int64_t range_rows, std::int64_t record_bytes) {
  return std::clamp<std::int64_t>(stretch_bytes_max / record_bytes, 1,
                                  std::max<std::int64_t>(range_rows / 8, 1));
}

}  // namespace

sorted_runs::sorted_runs(const run_context& context, std::int64_t run_rows)
    : step_(step_of(run_rows / 5 * 4, static_cast<std::int64_t>(context.node.out.size))),
      range_rows_(std::max(run_rows / 5 * 4, 8 * step_)),
      runs_max_(static_cast<std::size_t>(range_rows_ / (2 * step_))),
      owners_(context.node.out) {}
sorted_runs::~sorted_runs() = default;

/// Puts records at the end of a run, where they may rest.
void sorted_runs::rest(run_context& context, sorted_run& to, detail::buffer records,
                       std::int64_t rows) {
  take_samples(context, to, records.data(), rows, step_);
  auto set = std::make_shared<detail::row_set>(context.node.out);
  set->keep_owners_of(owners_);
  append_buffer(*set, std::move(records), rows);
  to.pieces.push_back({context.store->keep(std::move(set)), to.rows});
  to.rows += rows;
}

void sorted_runs::expect_more(run_context& context) {
  if (only_rows_ == 0) return;
  rest(context, runs_.emplace_back(), std::move(only_), only_rows_);
  only_rows_ = 0;
}

void sorted_runs::add(run_context& context, detail::buffer sorted, std::int64_t rows) {
  owners_.keep_owners_of(*context.output);
  if (made_++ == 0) {
    only_ = std::move(sorted);
    only_rows_ = rows;
  } else {
    expect_more(context);
    rest(context, runs_.emplace_back(), std::move(sorted), rows);
  }
}

/// Makes fewer runs of all, each of neighbouring ones.
void sorted_runs::merge_some(run_context& context) {
  std::vector<sorted_run> merged;
  for (std::size_t begin = 0; begin < runs_.size(); begin += runs_max_) {
    const std::size_t end = std::min(begin + runs_max_, runs_.size());
    std::vector<sorted_run> some(std::make_move_iterator(runs_.begin() + begin),
                                 std::make_move_iterator(runs_.begin() + end));
    sorted_run& to = merged.emplace_back();
    if (some.size() == 1) {
      to = std::move(some.front());
      continue;
    }
    run_merge merge(context, std::move(some), step_,
                    range_rows_ / step_ - static_cast<std::int64_t>(end - begin));
    detail::buffer records;
    for (std::int64_t rows = 0; merge.next(context, records, rows);)
      rest(context, to, std::move(records), rows);
  }
  runs_ = std::move(merged);
}

bool sorted_runs::next(run_context& context, detail::row_set& to) {
  to.keep_owners_of(owners_);
  if (only_rows_ > 0) {
    append_buffer(to, std::move(only_), std::exchange(only_rows_, 0));
    return true;
  }
  if (!merge_) {
    while (runs_.size() > runs_max_) merge_some(context);
    const auto runs = static_cast<std::int64_t>(runs_.size());
    merge_ = std::make_unique<run_merge>(context, std::exchange(runs_, {}), step_,
                                         range_rows_ / step_ - runs);
  }
  detail::buffer records;
  std::int64_t rows = 0;
  if (!merge_->next(context, records, rows)) return false;
  ++ranges_;
  append_buffer(to, std::move(records), rows);
  return true;
}

std::string sorted_runs::about() const {
  if (ranges_ == 0) return {};
  return fmt::format("sorted in {} runs, put together in {} ranges of keys", made_, ranges_);
}

}  // namespace pappus::cpu_ops

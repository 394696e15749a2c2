// Cuts sorted runs into ranges of keys, and reads and sorts one after the other (sorted_runs.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <future>
#include <optional>
#include <vector>

#include "cpu_ops/sorted_runs.h"

namespace pappus::cpu_ops {

/// Appends the keys of the run's samples, one in `step` of the records that follow those it has.
void take_samples(const run_context& context, sorted_run& of, const std::byte* records,
                  std::int64_t rows, std::int64_t step);

class run_merge {
 public:
  /// \param samples_a_range  fewer than range_rows / step by the number of runs, so that a range
  ///                         has range_rows at most.
  run_merge(run_context& context, std::vector<sorted_run> runs, std::int64_t step,
            std::int64_t samples_a_range);

  /// The next range's records, sorted. False: there is none. Meanwhile the one after it is read.
  bool next(run_context& context, detail::buffer& records, std::int64_t& rows);

 private:
  /// Records of all runs, one run behind the other.
  struct range {
    std::int64_t rows = 0;
    std::size_t runs = 0;  // that it has records of
    detail::buffer records;
    std::future<void> there;  // waits for the reading, and goes before its memory
  };
  struct sample {
    std::uint32_t run;
    std::int64_t number;  // in the run
  };
  /// Where a range ends: before a sample. Its place in each run is between two samples of that run;
  /// the records between them are there to be searched.
  struct cut {
    bool at_end = false;  // of all runs
    sample at{};
    std::vector<std::int64_t> low, high;  // of each run: the first of them; behind the last
    detail::buffer records;               // room for step_ of each run
  };
  const sample* samples() const { return order_.as<const sample>(); }
  void sort_samples(run_context& context);
  /// Chooses the end of the next range.
  /// \param copies  the records that must be read before the runs are cut there.
  void choose_cut(run_context& context, std::vector<graph::row_store::copy>& copies);
  std::vector<std::int64_t> ends_at_cut(const run_context& context) const;
  range read_next(run_context& context);

  const std::vector<sorted_run> runs_;
  const std::int64_t step_, samples_a_range_;
  detail::buffer order_;               // of all samples
  std::int64_t count_ = 0, done_ = 0;  // samples: all; those before the cut
  std::vector<std::int64_t> seen_;     // likewise, of each run
  std::vector<std::int64_t> begins_;   // of each run: where the next range begins
  std::optional<cut> cut_;             // where it ends; none: nothing was read yet
  range next_;                         // no rows: there is none, or nothing was read yet
};

}  // namespace pappus::cpu_ops

// Cuts sorted runs into ranges of keys, and reads and sorts one after the other (sorted_runs.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <future>
#include <optional>
#include <span>
#include <vector>

#include "cpu_ops/sorted_runs.h"

namespace pappus::cpu_ops {

/// Appends the keys of the run's samples, one in `step` of the records that follow those it has.
void take_samples(const run_context& context, sorted_run& of, const std::byte* records,
                  std::int64_t rows, std::int64_t step);

/// Keeps one sample in two.
void thin_samples(const run_context& context, sorted_run& of);

/// Records, and the text that they point to, where it went with them.
struct sorted_rows {
  std::int64_t rows = 0;
  detail::buffer text, records;
};

class run_merge {
 public:
  /// How much a range has.
  struct range_limit {
    /// Fewer than range_rows / step by the number of runs, so that a range has range_rows at most.
    std::int64_t samples;
    std::size_t text_bytes;  ///< about
  };
  run_merge(run_context& context, std::vector<sorted_run> runs, std::int64_t step,
            range_limit limit);

  /// The next range's records, sorted. False: there is none. Meanwhile the one after it is read.
  bool next(run_context& context, sorted_rows& found);

 private:
  /// Records of all runs, one run behind the other.
  struct range {
    sorted_rows found;
    std::size_t runs = 0;     // that it has records of
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
    detail::buffer text, records;         // room for step_ of each run
  };
  /// Part of a run, and where it is wanted.
  struct wanted {
    std::size_t run;
    std::int64_t begin, end;
    std::byte* to;
  };
  const sample* samples() const { return order_.as<const sample>(); }
  detail::buffer add_copies(const run_context& context, std::span<const wanted> parts,
                            std::vector<graph::row_store::copy>& copies) const;
  bool takes_next_sample(std::int64_t taken, std::size_t& text) const;
  void sort_samples(run_context& context);
  /// Chooses the end of the next range.
  /// \param copies  the records that must be read before the runs are cut there.
  void choose_cut(run_context& context, std::vector<graph::row_store::copy>& copies);
  std::vector<std::int64_t> ends_at_cut(const run_context& context) const;
  range read_next(run_context& context);

  const std::vector<sorted_run> runs_;
  const std::int64_t step_;
  const range_limit limit_;
  detail::buffer order_;               // of all samples
  std::int64_t count_ = 0, done_ = 0;  // samples: all; those before the cut
  std::vector<std::int64_t> seen_;     // likewise, of each run
  std::vector<std::int64_t> begins_;   // of each run: where the next range begins
  std::optional<cut> cut_;             // where it ends; none: nothing was read yet
  range next_;                         // no rows: there is none, or nothing was read yet
};

}  // namespace pappus::cpu_ops

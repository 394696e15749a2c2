// Cuts sorted runs into ranges of keys, and reads and sorts one after the other (sorted_runs.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <future>
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
  std::vector<detail::buffer> text;
  detail::buffer records;
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
  struct sample {
    std::uint32_t run;
    std::int64_t number;  // in the run
  };
  /// What is read for a range: of each run, its records [begin, end), one run behind the other. The
  /// range ends before a sample, whose place in a run is between two samples of that run, the last
  /// of those that are read: the records from there on are the next range's.
  struct reading {
    sorted_rows found{};
    std::vector<std::int64_t> begins{}, ends{};  // of each run
    sample cut{};
    bool last = false;          // there is no cut: all runs end
    std::future<void> there{};  // waits for the reading, and goes before its memory
  };
  const sample* samples() const { return order_.as<const sample>(); }
  bool takes_next_sample(std::int64_t taken, std::size_t& text) const;
  void sort_samples(run_context& context);
  void choose_end(reading& made);
  std::vector<std::int64_t> places_of_cut(const run_context& context, const reading& of) const;
  sorted_rows behind(run_context& context, const reading& of,
                     const std::vector<std::int64_t>& cuts) const;
  std::size_t leave_out_behind(const run_context& context, reading& of,
                               const std::vector<std::int64_t>& cuts) const;
  reading read_next(run_context& context, const reading& before,
                    const std::vector<std::int64_t>& cuts);

  const std::vector<sorted_run> runs_;
  const std::int64_t step_;
  const range_limit limit_;
  detail::buffer order_;               // of all samples
  std::int64_t count_ = 0, done_ = 0;  // samples: all; those before the end of what is read
  std::vector<std::int64_t> seen_;     // likewise, of each run
  reading next_;                       // no rows: there is none, or nothing was read yet
};

}  // namespace pappus::cpu_ops

// Sorts more rows than memory holds: runs that are sorted in memory and may go to the disk, then
// ranges of keys.
//
// Of each run the keys of one record in about 4 KiB stay in memory, of fewer where all of these
// become too many bytes (a terabyte, long strings). All of them, sorted by (key,
// run, place in the run), the order that a stable sort means, tell where to cut the runs into
// ranges that fit: a cut is one of these records, and its place in another run is looked up in the
// one stretch between two of that run's samples. So equal keys and skew are nothing special. The
// records of a range are read from all runs, one run behind the other, up to the end of that
// stretch: those behind the cut go on to the next range. They are sorted again in memory; stability
// makes that the order of all rows. Rows are written once and read once. Where runs are too many
// for a range, neighbouring runs become one first.
//
// Text that records point to goes with the runs where it is found (record_type::text), and back
// with the ranges, which are cut by its bytes, too; other text stays where it was.
//
// Alternatives: a tournament of the runs (a comparison and a mispredicted branch a level and row,
// and one core, unless runs are cut as they are here).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "cpu_ops/contract.h"
#include "graph/kept_rows.h"
#include "pappus/detail/base/memory.h"

namespace pappus::cpu_ops {

/// Sorted records, in pieces, and the keys of some of them.
struct sorted_run {
  struct piece {
    std::shared_ptr<graph::kept_rows> records;
    std::int64_t first = 0;  ///< number of its first record in the run
  };
  std::vector<piece> pieces;
  std::int64_t rows = 0;
  /// Bytes of the text that is kept with records [begin, end).
  std::size_t text_bytes(std::int64_t begin, std::int64_t end) const;
  std::size_t sample_bytes() const;

  std::int64_t samples = 0;          ///< records 0, step, 2 * step, ...
  std::vector<detail::buffer> keys;  ///< the samples' of each pass of the sort
  std::vector<detail::buffer> text;  ///< of keys that are strings
};

class run_merge;

class sorted_runs {
 public:
  /// \param run_rows    that are sorted in memory at a time, at most.
  /// \param takes_text  whether the runs have text of their own, if it is found.
  sorted_runs(const run_context& context, std::int64_t run_rows, bool takes_text = false);
  ~sorted_runs();

  /// To be called before the next rows are sorted: those so far aren't the only ones.
  void expect_more(run_context& context);
  /// Adds rows that come after all rows so far. What they point to, if that stays where it is, is
  /// what the output's owners, or those of the inputs, keep alive.
  void add(run_context& context, detail::buffer sorted, std::int64_t rows);
  /// Adds rows to the last run, which they come behind, in order. There must be one.
  void extend(run_context& context, detail::buffer sorted, std::int64_t rows);

  /// Appends the next rows in order to `to`: a range, or all of the only run. False: there are none
  /// left, or context.limit rows have been yielded. Afterwards no more can be added.
  bool next(run_context& context, detail::row_set& to);

  /// "sorted in 7 runs, ...". Empty: it was one, in memory.
  std::string about() const;

 private:
  void rest(run_context& context, sorted_run& to, detail::buffer records, std::int64_t rows);
  void merge_some(run_context& context);

  void thin(run_context& context);
  std::int64_t range_rows() const;
  /// That a range can be read from.
  std::size_t runs_max() const { return static_cast<std::size_t>(range_rows() / (2 * step_)); }
  std::unique_ptr<run_merge> merge_of(run_context& context, std::vector<sorted_run> runs) const;

  std::int64_t run_rows_;
  std::int64_t step_ = 0;  ///< from sample to sample; 0: there is no run yet
  const bool takes_text_;
  /// The most of what was sorted at a time.
  std::int64_t rows_at_once_ = 0;
  std::size_t text_at_once_ = 0, bytes_at_once_ = 0;
  detail::row_set owners_;  ///< no rows: what they point into
  detail::buffer only_;     ///< the first run, as long as it may be the only one
  std::int64_t only_rows_ = 0;
  std::vector<sorted_run> runs_;
  std::unique_ptr<run_merge> merge_;
  std::size_t made_ = 0, ranges_ = 0;
  std::int64_t yielded_ = 0;  ///< rows
};

}  // namespace pappus::cpu_ops

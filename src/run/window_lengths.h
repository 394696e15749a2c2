// How many rows the windows have that stream through stages (stream.cpp).
//
// As long as a part of the budget allows; where the stage at the end wants all rows before it
// yields any, as there is memory; where windows ask for right rows of a join, so that these, and
// what stages behind hold of the pairs, have room. Where somebody may have all it needs early
// (first, any, take), windows begin small and grow.
//
// How much text comes with a row shows only when it has been read. So windows end early where there
// is more than was expected, and are handed on in parts where there still is too much.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "graph/operator_entry.h"
#include "run/executor.h"
#include "run/window_source.h"

namespace pappus::run {

class live_executor::window_lengths {
 public:
  /// What windows come from and go through. All of it outlives this.
  struct stream {
    std::span<const plan::stage_index> path;  ///< from the source to the last stage
    std::size_t slices = 0;                   ///< that come right after the source
    window_source& source;
    cpu_ops::asked_join* asked = nullptr;  ///< windows ask it for right rows, or have asked
    bool asking = false;                   ///< they ask
    std::span<const std::int64_t> seen;  ///< rows read of the source, then that each stage has had
  };
  window_lengths(const live_executor& executor, stream of);

  /// Of the next window, at most; the source is told how much text that may have.
  std::int64_t next();
  /// Rows have been read, and the source has counted their text.
  void note_read(std::int64_t rows);
  /// In how many parts they are to be handed on.
  std::int64_t parts(std::int64_t rows) const;
  std::int64_t longest() const noexcept { return longest_; }
  /// Bytes of text of the last window.
  double text() const noexcept { return window_text_; }

 private:
  const graph::node& node(std::size_t k) const {
    return *executor_.plan_.stages[plan::index(of_.path[k])].node;
  }
  std::int64_t longest_that_asks() const;
  graph::window_memory held_behind() const;
  std::int64_t large() const;
  double row_text() const;
  void limit_text(std::int64_t rows) const;

  const live_executor& executor_;
  const stream of_;
  std::size_t widest_;                     ///< bytes of a record on the way
  std::size_t in_step_ = 0;                ///< bytes of records that are read with one
  std::size_t available_;                  ///< when nothing had been read
  std::int64_t longest_ = 0, length_ = 0;  ///< rows: the most; of the next one
  graph::window_memory held_;              ///< by all stages, where the last one wants all rows
  double passed_ = 1;                      ///< part of the source's rows that reaches the last one
  double text_before_ = 0;                 ///< bytes, of all windows but the last
  double window_text_ = 0, row_text_ = 0;  ///< bytes of the last window; of a record of it
};

}  // namespace pappus::run

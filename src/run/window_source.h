// Where windows of rows come from that stream through stages (stream.cpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "formats/format.h"
#include "pappus/detail/base/chunks.h"
#include "run/executor.h"

namespace pappus::run {

/// Where windows of rows come from.
class live_executor::window_source {
 public:
  virtual ~window_source() = default;
  /// Those of a file or of several in turn, of a stage that has had all its own windows, or of one
  /// whose rows are there, perhaps in parts.
  /// \param in_blocks  the stage that reads the records block by block, so that they needn't lie in
  ///                   memory; null: there is none
  static std::unique_ptr<window_source> make(live_executor& executor, plan::stage_index from,
                                             const plan::stage* in_blocks = nullptr);

  /// The next rows, so many at most.
  virtual detail::rows_ptr read(std::int64_t rows_max) = 0;
  /// Whether the last window has been read.
  virtual bool ended() const = 0;
  /// The part of all rows that has been read. From any thread.
  virtual double part_read() const = 0;
  /// How many rows there will be in all, about. Negative: nobody knows.
  virtual double rows_expected() const = 0;
  /// The most bytes that reading takes besides the window.
  virtual std::size_t scratch_bytes() const { return 0; }
  /// Bytes that the text of the rows read so far took.
  virtual double text_bytes() const { return 0; }
  /// Ends windows whose text takes so many bytes, or somewhat more.
  virtual void limit_text(std::size_t) {}
  /// Makes a result the owner of the window that was read last.
  virtual void leave_in(detail::row_set& output, const detail::rows_ptr& window) {
    output.hold(window);
  }
  /// What is told of rows that nobody wanted.
  virtual formats::reader::left_out not_read() const { return {}; }
  /// Gives back what was for windows to come: nobody needs them.
  virtual void close() noexcept {}

 private:
  class file_windows;
  class yielded_windows;
  class windows_in_memory;
  class windows_in_turn;
  class windows_of_parts;
  /// Adds what make() makes for a stage, or of one that puts files behind one another, for each.
  static void add_in_turn(live_executor& executor, plan::stage_index from,
                          const plan::stage* in_blocks,
                          std::vector<std::unique_ptr<window_source>>& to);
};

}  // namespace pappus::run

// Joins whose right side and index memory has no room for: windows of left rows ask for the right
// rows that they need.
//
// Problem: a partitioned (Grace) join moves the records of both sides and loses the order of the
// left one, so its pairs would have to be sorted again.
//
// Idea: what a window of left rows needs of the right side is little. So
//   1. right rows go into partitions, by the hash of their keys, which rest;
//   2. left rows are gone through once, window by window, only to hear which keys they look up:
//      the distinct ones of a window go into the same partitions, and rest;
//   3. as many partitions at a time as memory has room for: the keys are looked up among their
//      right rows, and each row goes to the windows that asked for its key, and rests
//      (asked_answers.cpp);
//   4. left rows are gone through again, in the same windows: each has an index of its own, of the
//      rows that it asked for, and all else is as if this were the whole right side.
// Equal keys are in one partition, in row order all the way, so pairs come out as ever: bits don't
// depend on memory. Left records are never moved. Functions before the join run twice.
//
// A window that gets too many rows is cut: for each part its keys are heard once more, and only the
// rows that have them are taken. If there is memory for the whole right side after all, windows
// share one index of it and nobody asks.
//
// Text that right records point to goes with them, and lies with those of a window, where it is
// found (record_type::text); other text stays where it was.
//
// Alternatives: Grace (above); reading the right side once for each window (quadratic).
//
// Texts are asked for by a hash: the rows that a window gets may be some too many, of which its
// index has the texts.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <future>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "algorithms/join_index.h"
#include "cpu_ops/contract.h"
#include "cpu_ops/scattered_rows.h"

namespace pappus::cpu_ops {

class heard_keys;

class asked_join {
 public:
  /// \param build  the node of the index.
  explicit asked_join(const graph::node& build);
  ~asked_join();

  /// Adds right rows: those of a window of the index's stage.
  /// \param keys  of these
  void take_right(run_context& context, const std::byte* keys);
  /// They were the last. Nobody is to ask if there is memory for one index of all.
  void end_right(run_context& context);

  /// Whether left rows are to ask before they are joined.
  bool asks() const noexcept { return all_ == nullptr; }
  /// \param side     the index's, of the stage that joins
  /// \param gathers  the next side is the right rows
  void join_as(std::size_t side, bool gathers) noexcept;

  /// Bytes of text that come with a right row, on the average.
  std::size_t right_row_text() const { return right_.row_bytes() - right_.record_bytes(); }

  /// What stages behind the join hold of each pair at a time.
  void set_held_behind(std::size_t bytes) noexcept { behind_bytes_ = bytes; }
  /// Left rows of a window that should ask at once, where there are so many bytes.
  std::int64_t window_rows(std::size_t available, std::size_t left_bytes) const noexcept;
  /// A window that is to ask: how many rows were to be read at most, and how many there were.
  /// Slices may be on the way.
  struct window {
    std::int64_t wanted = 0, read = 0;
  };
  void note(window next) { windows_.push_back(next); }
  /// Hears the keys that a window looks up.
  void ask(run_context& context);
  /// Finds the right rows that windows have asked for.
  void answer(run_context& context);
  /// Those that have asked, in order.
  std::span<const window> windows() const noexcept { return windows_; }

  /// Gives the context's sides an index of right rows that the first rows of its window need.
  void fetch(run_context& context);
  /// What these right rows point to, for who keeps what was made of them. Null: nothing.
  std::shared_ptr<const void> text() const noexcept;
  /// The bytes of that which go with the window.
  std::size_t text_bytes() const noexcept;
  /// How many rows these are: fewer than all where they need too much.
  std::int64_t rows_to_join() const noexcept { return joined_; }
  /// All rows of the window have been joined.
  void end_window() noexcept { ++window_, rows_of_window_ = 0; }

 private:
  class answering;
  struct some_windows {
    std::size_t first = 0, count = 0;
    scattered_rows keys;  ///< by partition, then by window
    bucket_range buckets(bucket_range which) const {
      return {which.first * count, which.last * count};
    }
  };
  struct found_rows;

  static constexpr std::size_t partitions = 256;
  static constexpr std::size_t buffer_bytes_max = std::size_t{1} << 30;

  detail::record_type type_of_keys() const {
    return {key_bytes_, 1, "keys", detail::text_in::none};
  }
  void buckets_of(const std::byte* keys, std::size_t n, std::uint8_t* to) const;
  /// Calls f(i, bucket) for n keys.
  template <typename F>
  void for_each_bucket(const std::byte* keys, std::size_t n, F&& f) const;
  /// Bytes of the index of a right row.
  std::size_t index_bytes() const noexcept;
  detail::buffer keys_of(const run_context& context, const std::byte* records, std::size_t n) const;
  /// The same as the index has them.
  detail::buffer whole_keys_of(const run_context& context, const std::byte* records,
                               std::size_t n) const;
  /// Whether windows get right rows; else their keys, which is enough to know that there are some.
  bool sends_rows() const noexcept { return gathers_ || strings_; }
  /// Hears the keys that the first `rows` rows of the window look up.
  void hear(run_context& context, std::int64_t rows, heard_keys& to) const;
  void let_keys_rest(run_context& context);
  template <typename F>
  void for_each_piece(run_context& context, const scattered_rows& from, bucket_range which,
                      F&& f) const;
  /// So many right rows, or their keys, and their text.
  struct rows_with_text {
    std::vector<detail::buffer> text;
    detail::buffer records;
    std::size_t n = 0;
  };
  std::unique_ptr<found_rows> indexed(const run_context& context, rows_with_text rows,
                                      bool are_keys) const;
  /// What the first `rows` rows of the window need, which may become fewer.
  std::unique_ptr<found_rows> read_window(run_context& context, std::int64_t& rows);
  std::unique_ptr<found_rows> read_part(run_context& context, std::int64_t& rows,
                                        std::size_t most) const;
  /// Begins to read what the window after this one has asked for, if there is memory to spare.
  void read_ahead(run_context& context);
  rows_with_text room_for(const run_context& context, const scattered_rows& from,
                          bucket_range which, std::vector<graph::row_store::copy>& copies) const;
  std::unique_ptr<found_rows> read_all(run_context& context, const scattered_rows& from,
                                       bucket_range which, bool are_keys) const;
  /// Of the rows that the window has asked for, those that its first `rows` rows need. Null: they
  /// are more than `most`.
  std::unique_ptr<found_rows> read_some(run_context& context, std::int64_t rows,
                                        std::size_t most) const;

  const graph::node& build_;
  const bool strings_;
  const std::size_t key_bytes_;  ///< of what is asked for
  const std::size_t right_bytes_;
  std::size_t side_ = 0;
  bool gathers_ = true;
  std::size_t behind_bytes_ = 0;
  scattered_rows right_;
  std::vector<scattered_buffer> last_;  // keys of the last windows that asked, by partition
  std::size_t last_bytes_ = 0;          // of these
  std::vector<some_windows> asked_;     // those of all before
  std::vector<window> windows_;
  std::optional<scattered_rows> answers_;  // right rows, or their keys where none are gathered
  std::size_t window_ = 0;                 // that is joined next
  std::int64_t rows_of_window_ = 0;        // where it is joined in parts
  std::int64_t joined_ = 0;                // rows of it, with what follows
  std::unique_ptr<found_rows> all_, now_;  // what windows are joined with
  struct read_before {
    std::size_t window = 0;
    rows_with_text rows;
    std::future<void> there;  // waits for the reading, and goes before its memory
  } next_;
};

template <typename F>
void asked_join::for_each_bucket(const std::byte* keys, std::size_t n, F&& f) const {
  constexpr std::size_t batch = 256;
  std::uint8_t buckets[batch];
  for (std::size_t begin = 0; begin < n; begin += batch) {
    const std::size_t some = std::min(batch, n - begin);
    buckets_of(keys + begin * key_bytes_, some, buckets);
    for (std::size_t i = 0; i < some; ++i) f(begin + i, std::size_t{buckets[i]});
  }
}

/// What a stage that asks does besides its own steps.
struct asking_steps {
  phase hear;   ///< in each window, the first time
  phase find;   ///< then
  phase fetch;  ///< in each window, the second time, before its own steps
};
const asking_steps& steps_that_ask();

}  // namespace pappus::cpu_ops

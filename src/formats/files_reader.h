// The records of several files, one file after the other.
//
// A large file is read by all workers. Small ones would keep few of them busy, and compressed ones
// no more than two: so of neighbouring files, as many as a part of memory has room for, each is
// read by a worker, into memory of its own, from which its records are then handed on in order. One
// that turns out to be larger is read on when its turn comes. The first file is read alone, then
// two together, four, and so on: who wants a few records doesn't wait for many files.
//
// Where rows may be left out, columns of small files are decoded side by side in place of that.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "formats/format.h"

namespace pappus::formats {

class files_reader final : public reader {
 public:
  struct file {
    std::function<std::unique_ptr<reader>()> open;
    double bytes = 0;  ///< of its records, about
  };

  /// Whether files are read as columns, if they can be. Of small ones that pays only where rows may
  /// be left out.
  enum class by_column : std::uint8_t { never, where_large, always };

  /// \param files  at least one
  /// \param rows   of all, if known
  /// \param text   of all
  /// \param how    never, if only some of them can be
  files_reader(std::vector<file> files, std::optional<std::int64_t> rows, text_length text,
               detail::memory_source& memory, by_column how = by_column::where_large);

  std::size_t record_bytes() const noexcept override { return record_bytes_; }
  std::optional<std::int64_t> rows() const noexcept override { return rows_; }
  std::int64_t count(detail::workers& team) override;
  std::int64_t read(detail::workers& team, std::byte* out, std::int64_t capacity) override;
  bool has_columns() const noexcept override { return has_columns_; }
  columns read_columns(detail::workers& team, std::int64_t capacity) override;
  left_out not_read() const noexcept override;
  std::int64_t bytes_read() const noexcept override {
    return bytes_read_.load(std::memory_order_relaxed);
  }
  text_length text() const noexcept override { return text_; }
  detail::missing_counts take_missing() override { return std::exchange(missing_, {}); }
  void rewind() override;
  std::size_t scratch_bytes() const noexcept override;
  std::shared_ptr<void> take_strings() noexcept override { return std::exchange(held_, nullptr); }
  std::size_t string_bytes() const noexcept override;
  void limit_strings(std::size_t bytes) noexcept override;

 private:
  /// What the records read since take_strings() point to.
  struct strings {
    std::vector<std::shared_ptr<void>> of_files;
    std::size_t bytes = 0;
  };
  struct block {
    detail::buffer records;
    std::int64_t rows = 0;
    std::shared_ptr<void> strings;  ///< that they point to
    std::size_t string_bytes = 0;
    detail::missing_counts missing{};
  };
  /// A file that is read.
  struct opened {
    const file* unread = nullptr;     ///< it is to be opened yet
    std::unique_ptr<reader> by;       ///< null where all is in blocks
    std::deque<block> blocks;         ///< records that were read ahead
    columns decoded{};                ///< or all of them, as columns
    std::shared_ptr<void> strings{};  ///< that these point to
    std::size_t string_bytes = 0;
    std::int64_t next_row = 0;  ///< of the first block, or the columns
    std::int64_t bytes_read = 0;
    std::exception_ptr failure;  ///< behind the blocks
  };

  bool open_next(detail::workers& team);
  std::size_t files_together(unsigned workers) const;
  void read_ahead(detail::workers& team, std::size_t count);
  void read_ahead(detail::workers& alone, const file& from, opened& to,
                  std::atomic<std::size_t>& used);
  void decode_ahead(detail::workers& team, std::size_t count);
  columns next_columns(detail::workers& team, opened& from, std::int64_t capacity);
  std::int64_t take_ahead(opened& from, std::byte* out, std::int64_t capacity);
  std::int64_t read_on(detail::workers& team, opened& from, std::byte* out, std::int64_t capacity);
  void open_unread(opened& front);
  void pass();
  std::size_t text_left() const noexcept {
    return string_bytes_max_ - std::min(string_bytes_max_, string_bytes());
  }
  void note_read(opened& from);
  void note_bytes_read();
  void hold(std::shared_ptr<void> text, std::size_t bytes);

  const std::vector<file> files_;
  const std::optional<std::int64_t> rows_;
  const text_length text_;
  detail::memory_source& memory_;
  const std::size_t ahead_bytes_;  // the most that are read ahead, about
  std::size_t record_bytes_ = 0, scratch_bytes_ = 0;
  std::size_t string_bytes_max_ = SIZE_MAX;
  bool has_columns_ = false, are_large_ = false;
  std::shared_ptr<strings> held_;
  std::size_t next_ = 0;           // the file that is to be opened next
  std::size_t together_ = 1;       // files that are to be opened together then
  std::deque<opened> now_;         // the first one's records are handed out
  std::int64_t bytes_before_ = 0;  // of files before it
  left_out not_read_;              // the same
  detail::missing_counts missing_;
  std::atomic<std::int64_t> bytes_read_{0};
};

}  // namespace pappus::formats

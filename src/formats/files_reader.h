// The records of several files, one file after the other, of which one is open at a time.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "formats/format.h"

namespace pappus::formats {

class files_reader final : public reader {
 public:
  using opener = std::function<std::unique_ptr<reader>()>;

  /// \param files  at least one
  /// \param rows   of all, if known
  /// \param text   of all
  files_reader(std::vector<opener> files, std::optional<std::int64_t> rows, text_length text);

  std::size_t record_bytes() const noexcept override { return now_->record_bytes(); }
  std::optional<std::int64_t> rows() const noexcept override { return rows_; }
  std::int64_t count(detail::workers& team) override;
  std::int64_t read(detail::workers& team, std::byte* out, std::int64_t capacity) override;
  std::int64_t bytes_read() const noexcept override {
    return bytes_read_.load(std::memory_order_relaxed);
  }
  text_length text() const noexcept override { return text_; }
  void rewind() override;
  std::size_t scratch_bytes() const noexcept override { return now_->scratch_bytes(); }
  std::shared_ptr<void> take_strings() noexcept override { return std::exchange(held_, nullptr); }
  std::size_t string_bytes() const noexcept override;
  void limit_strings(std::size_t bytes) noexcept override;

 private:
  /// What the records read since take_strings() point to.
  struct strings {
    std::vector<std::shared_ptr<void>> of_files;
    std::size_t bytes = 0;
  };

  void open(std::size_t file);
  void keep_strings();

  const std::vector<opener> files_;
  const std::optional<std::int64_t> rows_;
  const text_length text_;
  std::size_t string_bytes_max_ = SIZE_MAX;
  std::shared_ptr<strings> held_;
  std::size_t at_ = 0;  // the file that is open
  std::unique_ptr<reader> now_;
  std::int64_t bytes_before_ = 0;  // of files before it
  std::atomic<std::int64_t> bytes_read_{0};
};

}  // namespace pappus::formats

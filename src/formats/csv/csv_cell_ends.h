// Where the cells of CSV text end.
//
// Cells have a few bytes. To look for the end of each is a loop of its own, whose branches no
// processor foresees; so delimiters, newlines and quotes are found 64 bytes at a time, and their
// positions listed for some thousand bytes.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "levels/kernels.h"

namespace pappus::formats {

class csv_cell_ends {
 public:
  /// Bytes behind the text that are read.
  static constexpr std::size_t bytes_behind = 63;

  /// \param end  of the text
  csv_cell_ends(const char* end, char delimiter) noexcept : end_(end), delimiter_(delimiter) {}

  /// Lists those of the text from there on, as far as there is room.
  void list(const char* begin) noexcept {
    begin_ = begin;
    next_ = count_ = 0;
    const auto left = static_cast<std::size_t>(end_ - begin);
    const auto blocks = std::min((left + block - 1) / block, blocks_max);
    count_ = levels::own().list_csv_ends(begin, blocks, delimiter_, ends_.data());
    if (blocks * block > left)
      while (count_ > 0 && ends_[count_ - 1] >= left) --count_;  // behind the text
  }

  /// From where they were listed. Null: from nowhere.
  const char* begin() const noexcept { return begin_; }
  std::size_t left() const noexcept { return count_ - next_; }
  const char* at(std::size_t n) const noexcept { return begin_ + ends_[next_ + n]; }
  void pass(std::size_t n) noexcept { next_ += n; }
  /// Passes over all that come before.
  void pass_to(const char* at) noexcept {
    while (next_ < count_ && begin_ + ends_[next_] < at) ++next_;
  }

 private:
  static constexpr std::size_t block = 64, blocks_max = 64;

  const char* const end_;
  const char delimiter_;
  const char* begin_ = nullptr;
  std::size_t next_ = 0, count_ = 0;
  std::array<std::uint16_t, block * blocks_max + 8> ends_;
};

}  // namespace pappus::formats

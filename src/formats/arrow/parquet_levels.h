// Definition levels of a Parquet column that isn't nested: a bit for each row, which says whether
// it has a value. Pages store them in runs, of a bit that repeats or of bits as they are: they
// become a bitmap almost as they lie. Arrow's readers make numbers of two bytes of them, which take
// several times as long to write, to count and to make bits of again.
//
// Source: the Parquet format's Encodings.md, "Run Length Encoding / Bit-Packing Hybrid", of a bit.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <span>

#include "formats/arrow/arrow_bits.h"
#include "formats/arrow/arrow_library.h"

namespace pappus::formats {

/// Bits that are put behind others, a word at a time.
class bit_writer {
 public:
  /// From bit number `first` of `bits` on; those before it stay.
  bit_writer(std::uint8_t* bits, std::int64_t first) : to_(bits + first / 8), used_(first % 8) {
    if (used_ > 0) word_ = *to_ & ((1U << used_) - 1);
  }

  /// \param n  1 to 64; higher bits are zero
  void put(std::uint64_t bits, std::int64_t n) {
    ones_ += std::popcount(bits);
    word_ |= bits << used_;
    used_ += n;
    if (used_ < 64) return;
    std::memcpy(to_, &word_, sizeof(word_));
    to_ += sizeof(word_);
    used_ -= 64;
    word_ = used_ == 0 ? 0 : bits >> (n - used_);
  }

  /// Returns how many of the bits that were put are ones.
  std::int64_t finish() {
    std::memcpy(to_, &word_, static_cast<std::size_t>(used_ + 7) / 8);
    return ones_;
  }

 private:
  std::uint8_t* to_;
  std::int64_t used_;  // bits of the word, fewer than it has
  std::uint64_t word_ = 0;
  std::int64_t ones_ = 0;
};

class parquet_levels {
 public:
  /// Levels of a page. The bytes must stay.
  void open(std::span<const std::uint8_t> runs) {
    left_ = runs;
    run_left_ = 0;
  }

  /// The next n, as bits from number `first` of `bits` on, which has room for no more. Returns how
  /// many rows have values.
  /// \throws arrow_problem  if the page has fewer, or levels other than 0 and 1
  std::int64_t read(std::int64_t n, std::uint8_t* bits, std::int64_t first) {
    bit_writer to(bits, first);
    while (n > 0) {
      if (run_left_ == 0) open_run();
      const auto some = std::min({n, run_left_, bits_at_once});
      to.put(
          run_ != nullptr ? bits_of(run_, at_, some) : repeated_ & ((std::uint64_t{1} << some) - 1),
          some);
      at_ += some;
      run_left_ -= some;
      n -= some;
    }
    return to.finish();
  }

 private:
  void open_run() {
    const auto length = next_length();
    at_ = 0;
    run_ = nullptr;
    if (length % 2 == 0) {
      const auto level = next_byte();
      if (level > 1)
        throw arrow_problem("a definition level is more than 1, in a column that isn't nested");
      repeated_ = level == 0 ? 0 : ~std::uint64_t{0};
      run_left_ = length / 2;
    } else {  // of groups of eight, of which the last ones may lack bytes where rows end
      const auto bytes = std::min<std::size_t>(length / 2, left_.size());
      run_ = left_.data();
      run_left_ = static_cast<std::int64_t>(bytes) * 8;
      left_ = left_.subspan(bytes);
    }
  }

  /// A number in seven bits a byte, the lowest first, of which all but the last have the eighth.
  std::uint32_t next_length() {
    std::uint64_t length = 0;
    for (unsigned shift = 0; shift < 35; shift += 7) {
      const auto byte = next_byte();
      length |= std::uint64_t{byte & 0x7fU} << shift;
      if (byte < 0x80 && length <= std::numeric_limits<std::uint32_t>::max())
        return static_cast<std::uint32_t>(length);
    }
    throw arrow_problem("a run of definition levels has a length of more than 32 bits");
  }

  std::uint8_t next_byte() {
    if (left_.empty()) throw arrow_problem("a page has fewer definition levels than rows");
    const auto byte = left_.front();
    left_ = left_.subspan(1);
    return byte;
  }

  std::span<const std::uint8_t> left_;  // behind the run
  const std::uint8_t* run_ = nullptr;   // of bits; null: one is repeated
  std::uint64_t repeated_ = 0;          // in all of its bits
  std::int64_t at_ = 0, run_left_ = 0;  // in the run
};

}  // namespace pappus::formats

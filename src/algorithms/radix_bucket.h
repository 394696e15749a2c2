// Sorts rows that fit a core's L2, on one worker. See radix.h for the idea.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace pappus::algorithms {

__extension__ using wide_key = unsigned __int128;  // the bytes of a bits128

template <std::size_t Bytes>
using payload_of = std::array<std::byte, Bytes>;

/// Keys and payloads, side by side; `payload` is null and unused when Bytes is 0.
template <typename Key, std::size_t Bytes>
struct sort_side {
  Key* keys = nullptr;
  payload_of<Bytes>* payload = nullptr;

  sort_side at(std::uint64_t row) const {
    return {keys + row, Bytes == 0 ? nullptr : payload + row};
  }
  void move_row(std::size_t to, const sort_side& source, std::size_t from) const {
    keys[to] = source.keys[from];
    if constexpr (Bytes != 0) payload[to] = source.payload[from];
  }
  void copy_from(const sort_side& source, std::size_t n) const {
    std::memcpy(keys, source.keys, n * sizeof(Key));
    if constexpr (Bytes != 0) std::memcpy(payload, source.payload, n * Bytes);
  }
};

template <typename Key>
unsigned width_of(Key value) {
  if constexpr (sizeof(Key) == 16) {
    const auto high = static_cast<std::uint64_t>(value >> 64);
    return high != 0 ? 64 + std::bit_width(high)
                     : std::bit_width(static_cast<std::uint64_t>(value));
  } else {
    return std::bit_width(value);
  }
}

/// What one pass over some keys tells. There is at least one key.
template <typename Key>
struct key_survey {
  Key least, most;
  bool ascending = true;   // no key is less than the one before
  bool descending = true;  // each key is less than the one before: reversing keeps ties in order

  /// Adds the survey of the keys that follow, the first of which must be this one's last key.
  void add(const key_survey& next) {
    least = std::min(least, next.least);
    most = std::max(most, next.most);
    ascending &= next.ascending;
    descending &= next.descending;
  }

  /// The survey of keys[i] ^ flip.
  static key_survey of(const Key* keys, std::size_t n, Key flip = 0) {
    const auto key = [&](std::size_t i) { return static_cast<Key>(keys[i] ^ flip); };
    constexpr std::size_t step = 1024;  // stays in L1 for all three loops
    key_survey survey{key(0), key(0)};
    for (std::size_t begin = 0; begin < n; begin += step) {
      const std::size_t end = std::min(n, begin + step);
      const std::size_t second = std::max<std::size_t>(begin, 1);
      Key least = survey.least, most = survey.most;
      for (std::size_t i = begin; i < end; ++i) {
        const Key own = key(i);
        least = own < least ? own : least;
        most = own > most ? own : most;
      }
      survey.least = least;
      survey.most = most;
      if (survey.ascending) {
        std::uint32_t steps_down = 0;  // not bool, so that the loop vectorises
        for (std::size_t i = second; i < end; ++i) steps_down |= key(i) < key(i - 1) ? 1u : 0u;
        survey.ascending = steps_down == 0;
      }
      if (survey.descending) {
        std::uint32_t steps_not_down = 0;
        for (std::size_t i = second; i < end; ++i) {
          steps_not_down |= key(i) >= key(i - 1) ? 1u : 0u;
        }
        survey.descending = steps_not_down == 0;
      }
    }
    return survey;
  }
};

template <typename Key, std::size_t Bytes>
class bucket_sorter {
 public:
  using side = sort_side<Key, Bytes>;

  /// Sorts the n rows of `in` into `out`, which may be `in`; `scratch` is neither; n < 2^32.
  /// Scratch that stays in cache from call to call saves fetching the lines of `out` twice.
  static void sort(const side& in, const side& scratch, const side& out, std::size_t n) {
    bucket_sorter work{scratch, out, n, in};
    work.sort_rows();
    if (work.at_.keys != out.keys) out.copy_from(work.at_, n);
  }

 private:
  static constexpr std::size_t few_rows = 24;
  static constexpr unsigned usual_digit_bits = 11;
  static constexpr unsigned digit_bits_max = 12;

  static unsigned digit(Key key, Key least, unsigned shift, unsigned mask) {
    return static_cast<unsigned>(static_cast<Key>(key - least) >> shift) & mask;
  }

  bucket_sorter(const side& scratch, const side& out, std::size_t n, const side& in)
      : scratch_(scratch), out_(out), n_(n), at_(in) {}

  void sort_rows() {
    if (n_ <= few_rows) {
      (void)insert_sorted(n_ * n_);
      return;
    }
    const auto survey = key_survey<Key>::of(at_.keys, n_);
    if (survey.ascending) return;
    const unsigned bits = width_of(static_cast<Key>(survey.most - survey.least));
    const unsigned rows_bits = std::bit_width(n_);
    const unsigned told = std::min({bits, rows_bits + 6u, 2 * digit_bits_max});
    sort_by(survey.least, bits - told, told);
    if (told == bits || insert_sorted(4 * n_)) return;
    for (unsigned shift = 0; shift < bits; shift += usual_digit_bits) {
      sort_by(survey.least, shift, std::min(usual_digit_bits, bits - shift));
    }
  }

  // LSD radix sort by `bits` bits from bit `shift` on, in one or two passes.
  void sort_by(Key least, unsigned shift, unsigned bits) {
    const unsigned one_pass =
        std::clamp<unsigned>(std::bit_width(n_), 8, digit_bits_max);  // counters cost time, too
    const unsigned passes = bits > one_pass ? 2 : 1;
    const unsigned low_bits = passes == 2 ? bits / 2 : bits;
    const unsigned low_mask = (1u << low_bits) - 1, high_mask = (1u << (bits - low_bits)) - 1;
    std::array<std::uint32_t, 1u << digit_bits_max> low, high;
    std::fill_n(low.begin(), low_mask + 1, 0);
    std::fill_n(high.begin(), high_mask + 1, 0);
    const Key* keys = at_.keys;
    if (passes == 2) {
      for (std::size_t i = 0; i < n_; ++i) {
        ++low[digit(keys[i], least, shift, low_mask)];
        ++high[digit(keys[i], least, shift + low_bits, high_mask)];
      }
    } else {
      for (std::size_t i = 0; i < n_; ++i) ++low[digit(keys[i], least, shift, low_mask)];
    }
    scatter(least, shift, low_mask, low.data(), passes == 1);
    if (passes == 2) scatter(least, shift + low_bits, high_mask, high.data(), true);
  }

  void scatter(Key least, unsigned shift, unsigned mask, std::uint32_t* counts, bool last) {
    if (counts[digit(at_.keys[0], least, shift, mask)] == n_) return;  // constant digit
    std::uint32_t start = 0;
    for (unsigned d = 0; d <= mask; ++d) {
      const std::uint32_t count = counts[d];
      counts[d] = start;
      start += count;
    }
    const bool to_out = at_.keys == scratch_.keys || (last && at_.keys != out_.keys);
    const side in = at_, out = to_out ? out_ : scratch_;
    for (std::size_t i = 0, n = n_; i < n; ++i) {
      out.move_row(counts[digit(in.keys[i], least, shift, mask)]++, in, i);
    }
    at_ = out;
  }

  // Insertion sort. After `moves_max` moves it gives up and returns false; all rows are still
  // there.
  bool insert_sorted(std::size_t moves_max) {
    const side rows = at_;
    std::size_t moves = 0;
    for (std::size_t i = 1; i < n_; ++i) {
      const Key key = rows.keys[i];
      if (key >= rows.keys[i - 1]) continue;
      [[maybe_unused]] payload_of<Bytes> payload;
      if constexpr (Bytes != 0) payload = rows.payload[i];
      std::size_t to = i;
      for (; to > 0 && key < rows.keys[to - 1]; --to) rows.move_row(to, rows, to - 1);
      rows.keys[to] = key;
      if constexpr (Bytes != 0) rows.payload[to] = payload;
      moves += i - to;
      if (moves > moves_max) return false;
    }
    return true;
  }

  side scratch_, out_;
  std::size_t n_;
  side at_;  // where the rows are now
};

}  // namespace pappus::algorithms

// A sample of keys, with weights, from which ranks are nearly right: KLL (Karnin, Lang, Liberty
// 2016).
//
// Keys of level h stand for 2^h keys each. Where there is no room, the lowest level that has as
// many as it may is sorted, and every other key of it goes up. Which ones, the even or the odd, a
// hash of the number of such steps says: errors of different steps cancel, and the same keys in the
// same order are the same sample. Higher levels may have more keys: errors grow with weights.
//
// Levels lie one behind the other, the highest first, so that keys go up by where levels end.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "pappus/detail/base/hash.h"

namespace pappus::detail {

/// \tparam Key  an unsigned integer.
template <typename Key>
class rank_sketch {
 public:
  void add(Key key) {
    if (used_ == room) compress();
    keys_[used_++] = key;
    ++sizes_[0];
    ++n_;
    least_ = (std::min)(least_, key);
    greatest_ = (std::max)(greatest_, key);
  }
  void merge(const rank_sketch& other) {
    if (other.n_ == 0) return;
    std::array<Key, 2 * room> both;
    const std::size_t levels = (std::max)(levels_, other.levels_);
    std::size_t own_at = 0, other_at = 0, to = 0;
    for (std::size_t h = levels; h-- > 0;) {
      std::copy_n(keys_.begin() + own_at, sizes_[h], both.begin() + to);
      std::copy_n(other.keys_.begin() + other_at, other.sizes_[h], both.begin() + to + sizes_[h]);
      own_at += sizes_[h];
      other_at += other.sizes_[h];
      sizes_[h] = static_cast<std::uint16_t>(sizes_[h] + other.sizes_[h]);
      to += sizes_[h];
    }
    levels_ = levels;
    n_ += other.n_;
    steps_ += other.steps_;
    least_ = (std::min)(least_, other.least_);
    greatest_ = (std::max)(greatest_, other.greatest_);
    while (to > room) to = step(both.data(), to);
    used_ = to;
    std::copy_n(both.begin(), used_, keys_.begin());
  }

  std::int64_t size() const noexcept { return n_; }
  /// About the key that `rank` others are below, 0 <= rank < size(); exactly the first and last.
  Key at(std::int64_t rank) const {
    if (rank == 0) return least_;
    if (rank == n_ - 1) return greatest_;
    std::array<std::pair<Key, std::int64_t>, room> weighed;
    std::size_t next = 0;
    for (std::size_t h = levels_; h-- > 0;)
      for (std::size_t i = 0; i < sizes_[h]; ++i, ++next)
        weighed[next] = {keys_[next], std::int64_t{1} << h};
    std::sort(weighed.begin(), weighed.begin() + used_);
    std::size_t found = 0;
    for (std::int64_t before = weighed[0].second; before <= rank && found + 1 < used_;)
      before += weighed[++found].second;
    return weighed[found].first;
  }

 private:
  static constexpr std::size_t levels_max = 56, highest = 128, lowest = 4;
  /// What the level so far below the highest may have.
  static constexpr auto capacities = [] {
    std::array<std::uint16_t, levels_max> made{};
    std::size_t thirds = highest;
    for (auto& one : made) {
      one = static_cast<std::uint16_t>((std::max)(thirds, lowest));
      thirds = thirds * 2 / 3;
    }
    return made;
  }();
  static constexpr std::size_t room = [] {
    std::size_t sum = 0;
    for (const auto one : capacities) sum += one;
    return sum;
  }();

  void compress() { used_ = step(keys_.data(), used_); }

  /// Halves one level of `used` keys; returns how many are left.
  std::size_t step(Key* keys, std::size_t used) {
    std::size_t h = 0, end = used;
    while (sizes_[h] < capacities[levels_ - 1 - h]) end -= sizes_[h++];
    if (h + 1 == levels_) ++levels_;
    Key* const begin = keys + end - sizes_[h];
    std::sort(begin, begin + sizes_[h]);
    const std::size_t pairs = sizes_[h] / 2, odd = sizes_[h] % 2;
    const std::size_t which = static_cast<std::size_t>(mix(++steps_) & 1);
    for (std::size_t i = 0; i < pairs; ++i) begin[i] = begin[2 * i + which];
    if (odd != 0) begin[pairs] = begin[2 * pairs];
    std::copy(keys + end, keys + used, begin + pairs + odd);
    sizes_[h] = static_cast<std::uint16_t>(odd);
    sizes_[h + 1] = static_cast<std::uint16_t>(sizes_[h + 1] + pairs);
    return used - pairs;
  }

  std::array<Key, room> keys_{};
  std::array<std::uint16_t, levels_max> sizes_{};
  std::size_t levels_ = 1, used_ = 0;
  std::int64_t n_ = 0;
  std::uint64_t steps_ = 0;
  Key least_ = static_cast<Key>(~Key{0}), greatest_ = 0;
};

}  // namespace pappus::detail

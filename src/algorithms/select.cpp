#include "algorithms/select.h"

#include <algorithm>
#include <array>
#include <bit>
#include <utility>

namespace pappus::algorithms {
namespace {

constexpr unsigned select_bits_most = 11;
constexpr std::size_t few_to_select = 32;

template <typename Key>
std::pair<Key, Key> least_and_greatest(const Key* keys, std::size_t n) {
  Key least = keys[0], greatest = keys[0];
  for (std::size_t i = 1; i < n; ++i) {
    least = std::min(least, keys[i]);
    greatest = std::max(greatest, keys[i]);
  }
  return {least, greatest};
}

/// Keys of a bin, and those of lesser ones.
template <typename Key>
struct select_bin {
  Key first, span;  ///< its keys are first, ..., first + span
  std::size_t before, keys;
};

template <typename Key>
select_bin<Key> bin_of_rank(const Key* keys, std::size_t n, std::size_t k, Key least,
                            Key greatest) {
  std::array<std::size_t, std::size_t{1} << select_bits_most> counts;
  const auto width = static_cast<unsigned>(std::bit_width(static_cast<Key>(greatest - least)));
  const unsigned bits =
      std::clamp(static_cast<unsigned>(std::bit_width(n)) - 2, 4u, select_bits_most);
  const unsigned shift = width > bits ? width - bits : 0;
  std::fill_n(counts.begin(), static_cast<std::size_t>((greatest - least) >> shift) + 1, 0);
  for (std::size_t i = 0; i < n; ++i)
    ++counts[static_cast<std::size_t>((keys[i] - least) >> shift)];
  std::size_t bin = 0, before = 0;
  while (before + counts[bin] <= k) before += counts[bin++];
  return {static_cast<Key>(least + (static_cast<Key>(bin) << shift)),
          static_cast<Key>((Key{1} << shift) - 1), before, counts[bin]};
}

template <typename Key>
Key least_above(const Key* keys, std::size_t n, Key last) {
  Key found = static_cast<Key>(~Key{0});
  for (std::size_t i = 0; i < n; ++i) found = keys[i] > last ? std::min(found, keys[i]) : found;
  return found;
}

/// Swaps, so that no key is lost to who asks for another rank.
template <typename Key>
void put_in_front(Key* keys, std::size_t n, Key first, Key span) {
  std::size_t front = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const Key own = keys[i];
    keys[i] = keys[front];
    keys[front] = own;
    front += static_cast<Key>(own - first) <= span ? 1 : 0;
  }
}

template <typename Key>
neighbours<Key> select_key(Key* keys, std::size_t n, std::size_t k) {
  bool has_next = k + 1 < n;
  Key next{};  // where it is left out of the keys
  while (n > few_to_select) {
    const auto [least, greatest] = least_and_greatest(keys, n);
    if (least == greatest) return {least, k + 1 < n || !has_next ? least : next};
    const auto bin = bin_of_rank(keys, n, k, least, greatest);
    if (k + 1 < n && k + 1 == bin.before + bin.keys)
      next = least_above(keys, n, static_cast<Key>(bin.first + bin.span));
    put_in_front(keys, n, bin.first, bin.span);
    k -= bin.before;
    n = bin.keys;
  }
  std::sort(keys, keys + n);
  return {keys[k], k + 1 < n ? keys[k + 1] : has_next ? next : keys[k]};
}

}  // namespace

neighbours<std::uint32_t> select(std::uint32_t* keys, std::size_t n, std::size_t k) {
  return select_key(keys, n, k);
}
neighbours<std::uint64_t> select(std::uint64_t* keys, std::size_t n, std::size_t k) {
  return select_key(keys, n, k);
}

}  // namespace pappus::algorithms

#include "algorithms/string_sort.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <mutex>
#include <vector>

#include "algorithms/key_bits.h"
#include "algorithms/radix.h"
#include "algorithms/stretches.h"
#include "pappus/detail/base/integers.h"

namespace pappus::algorithms {
namespace {

constexpr std::uint64_t string_piece_rows = 1 << 14;
constexpr std::uint64_t short_run = 1 << 12;  // compared; longer ones are sorted by radix
constexpr std::size_t word_text = 7;          // bytes of text in a word
constexpr std::uint64_t more = word_text + 1;

/// The word of a string from `depth` on; depth <= its size.
std::uint64_t word_at(std::string_view text, std::size_t depth) {
  const std::size_t left = text.size() - depth;
  if (left > word_text) {
    std::uint64_t bytes;
    std::memcpy(&bytes, text.data() + depth, sizeof bytes);
    if constexpr (std::endian::native == std::endian::little) bytes = __builtin_bswap64(bytes);
    return (bytes & ~std::uint64_t{0xff}) | more;
  }
  std::uint64_t word = 0;
  for (std::size_t i = 0; i < left; ++i)
    word |= std::uint64_t{static_cast<unsigned char>(text[depth + i])} << (56 - 8 * i);
  return word | left;
}

std::size_t shared_bytes(std::string_view a, std::string_view b, std::size_t from) {
  const std::size_t end = std::min(a.size(), b.size());
  std::size_t at = from;
  while (at < end && a[at] == b[at]) ++at;
  return at;
}

struct run {
  std::uint64_t begin, end;
  std::size_t depth;
};

class string_sorter {
 public:
  string_sorter(detail::workers& team, detail::memory_source& memory,
                const std::string_view* strings, bool descending, std::uint64_t* order,
                std::string_view owner)
      : team_(team),
        memory_(memory),
        strings_(strings),
        flip_(descending ? ~std::uint64_t{0} : 0),
        order_(order),
        owner_(owner) {}

  void sort(std::uint64_t n) {
    for_rows(0, n, [&](std::uint64_t i) { order_[i] = i; });
    todo_.push_back({0, n, 0});
    while (!todo_.empty()) {
      const run next = todo_.back();
      todo_.pop_back();
      if (next.end - next.begin > short_run)
        sort_by_word(next);
      else
        compare(next);
    }
  }

 private:
  template <typename F>
  void for_rows(std::uint64_t begin, std::uint64_t end, F&& f) {
    const auto pieces = static_cast<std::size_t>(detail::ceil_div(end - begin, string_piece_rows));
    detail::parallel_chunks(team_, pieces, [&](std::size_t piece, unsigned) {
      const std::uint64_t first = begin + piece * string_piece_rows;
      for (std::uint64_t i = first; i < std::min(end, first + string_piece_rows); ++i) f(i);
    });
  }

  // Up to where all strings of a run agree.
  std::size_t depth_of(const run& rows) {
    std::mutex lock;
    std::size_t least = strings_[order_[rows.begin]].size();
    const auto pieces =
        static_cast<std::size_t>(detail::ceil_div(rows.end - rows.begin, string_piece_rows));
    const std::string_view first = strings_[order_[rows.begin]];
    detail::parallel_chunks(team_, pieces, [&](std::size_t piece, unsigned) {
      const std::uint64_t begin = rows.begin + piece * string_piece_rows;
      std::size_t own = first.size();
      for (std::uint64_t i = begin; i < std::min(rows.end, begin + string_piece_rows); ++i)
        own = std::min(own, shared_bytes(first.substr(0, own), strings_[order_[i]], rows.depth));
      const std::lock_guard hold(lock);
      least = std::min(least, own);
    });
    return least;
  }

  void sort_by_word(const run& rows) {
    const std::uint64_t n = rows.end - rows.begin;
    const std::size_t depth = depth_of(rows), bytes = round_up(n * sizeof(std::uint64_t), 64);
    const detail::buffer memory(memory_, 4 * bytes, owner_);
    const auto part = [&](std::size_t i) { return memory.data() + i * bytes; };
    const sort_buffers buffers{part(0), part(1), part(2), part(3)};
    auto* const words = reinterpret_cast<std::uint64_t*>(buffers.keys);
    auto* const numbers = reinterpret_cast<std::uint64_t*>(buffers.payload);
    for_rows(0, n, [&](std::uint64_t i) {
      numbers[i] = order_[rows.begin + i];
      words[i] = word_at(strings_[numbers[i]], depth) ^ flip_;
    });
    const auto where = radix_sort(team_, memory_, buffers, n, sizeof(std::uint64_t),
                                  sizeof(std::uint64_t), owner_);
    const bool first = where == sorted_in::first;
    const auto* const sorted = reinterpret_cast<const std::uint64_t*>(part(first ? 0 : 2));
    const auto* const moved = reinterpret_cast<const std::uint64_t*>(part(first ? 1 : 3));
    for_rows(0, n, [&](std::uint64_t i) { order_[rows.begin + i] = moved[i]; });
    settle_ties(rows.begin, sorted, n, depth + word_text);
  }

  // Sorts the runs of rows whose words are equal but whose strings go on. A run belongs to the
  // piece that it starts in.
  void settle_ties(std::uint64_t begin, const std::uint64_t* words, std::uint64_t n,
                   std::size_t depth) {
    std::mutex lock;
    const auto pieces = static_cast<std::size_t>(detail::ceil_div(n, string_piece_rows));
    detail::parallel_chunks(team_, pieces, [&](std::size_t piece, unsigned) {
      const std::uint64_t first = piece * string_piece_rows,
                          last = std::min(n, first + string_piece_rows);
      std::uint64_t i = first;
      while (i > 0 && i < last && words[i] == words[i - 1]) ++i;  // begun before this piece
      while (i < last && !team_.stopping()) {
        std::uint64_t end = i + 1;
        while (end < n && words[end] == words[i] && (end % stretch_rows != 0 || !team_.stopping()))
          ++end;
        if (end - i > 1 && ((words[i] ^ flip_) & 0xff) == more) {
          const run tied{begin + i, begin + end, depth};
          if (end - i > short_run) {
            const std::lock_guard hold(lock);
            todo_.push_back(tied);
          } else {
            compare(tied);
          }
        }
        i = end;
      }
    });
  }

  // Rows of a run are in row order among equals from the start, so their numbers break ties.
  void compare(const run& rows) {
    std::sort(order_ + rows.begin, order_ + rows.end, [&](std::uint64_t a, std::uint64_t b) {
      const int less = strings_[a].substr(rows.depth).compare(strings_[b].substr(rows.depth));
      if (less == 0) return a < b;
      return flip_ == 0 ? less < 0 : less > 0;
    });
  }

  detail::workers& team_;
  detail::memory_source& memory_;
  const std::string_view* strings_;
  std::uint64_t flip_;
  std::uint64_t* order_;
  std::string_view owner_;
  std::vector<run> todo_;
};

}  // namespace

void sort_strings(detail::workers& team, detail::memory_source& memory,
                  const std::string_view* strings, std::uint64_t n, bool descending,
                  std::uint64_t* order, std::string_view owner) {
  if (n != 0) string_sorter(team, memory, strings, descending, order, owner).sort(n);
}

}  // namespace pappus::algorithms

// Merging by a tournament of losers (Knuth, The Art of Computer Programming 3, 5.4.1).
//
// Problem: runs that were sorted apart, on devices or in pieces, become one order, with all cores
// at work and runs of any number.
//
// Idea: sample the most significant keys, cut every run at the same few of them, and merge what
// lies between two cuts as an item of its own; where its output begins is the sum of the cuts.
// Within an item the tree of losers costs one comparison a level for each row. The most significant
// key is kept in the tree; other parts are only looked at when it is equal.
//
// Alternatives: pairwise merging (log2(runs) passes over memory); a binary heap (two comparisons a
// level).
#include "algorithms/merge_runs.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace pappus::algorithms {
namespace {

template <typename T>
T load(const std::byte* at) {
  T value;
  std::memcpy(&value, at, sizeof value);
  return value;
}

/// The rows of every run that one item merges.
struct cut {
  std::vector<std::int64_t> begin, end;
  std::int64_t first_out = 0;
};

template <typename Key>
class merger {
 public:
  merger(std::span<const sorted_run> runs, std::span<const std::size_t> key_bytes,
         std::size_t record_bytes, std::int64_t limit, std::byte* out)
      : runs_(runs), key_bytes_(key_bytes), record_bytes_(record_bytes), limit_(limit), out_(out) {}

  void run(detail::workers& team) {
    const auto cuts = make_cuts(team.count() > 1 ? 8 * team.count() : 1);
    detail::parallel_chunks(team, cuts.size(), [&](std::size_t item, unsigned) {
      if (cuts[item].first_out < limit_) merge(cuts[item], team);
    });
  }

 private:
  Key key(std::size_t run, std::int64_t row) const {
    return load<Key>(runs_[run].keys[0] + static_cast<std::size_t>(row) * sizeof(Key));
  }

  std::int64_t lower_bound(std::size_t run, Key bound) const {
    std::int64_t low = 0, high = runs_[run].rows;
    while (low < high) {
      const std::int64_t middle = low + (high - low) / 2;
      if (key(run, middle) < bound)
        low = middle + 1;
      else
        high = middle;
    }
    return low;
  }

  std::vector<cut> make_cuts(std::size_t wanted) const {
    constexpr std::int64_t samples_a_run = 64;
    std::vector<Key> samples;
    for (std::size_t r = 0; r < runs_.size(); ++r)
      for (std::int64_t i = 0; i < std::min(samples_a_run, runs_[r].rows); ++i)
        samples.push_back(key(r, runs_[r].rows * i / std::min(samples_a_run, runs_[r].rows)));
    std::sort(samples.begin(), samples.end());
    std::vector<Key> bounds;
    for (std::size_t i = 1; i < wanted && !samples.empty(); ++i)
      bounds.push_back(samples[samples.size() * i / wanted]);
    bounds.erase(std::unique(bounds.begin(), bounds.end()), bounds.end());

    std::vector<cut> cuts(bounds.size() + 1);
    std::vector<std::int64_t> at(runs_.size(), 0);
    std::int64_t first_out = 0;
    for (std::size_t c = 0; c < cuts.size(); ++c) {
      cuts[c].first_out = first_out;
      cuts[c].begin = at;
      for (std::size_t r = 0; r < runs_.size(); ++r) {
        at[r] = c < bounds.size() ? lower_bound(r, bounds[c]) : runs_[r].rows;
        first_out += at[r] - cuts[c].begin[r];
      }
      cuts[c].end = at;
    }
    return cuts;
  }

  /// Whether a's next row goes before b's. Runs that are done go last.
  struct entry {
    Key key;
    std::uint32_t run;
    bool done;
  };
  bool before(const entry& a, const entry& b, const std::vector<std::int64_t>& at) const {
    if (a.done || b.done) return !a.done;
    if (a.key != b.key) return a.key < b.key;
    for (std::size_t part = 1; part < key_bytes_.size(); ++part) {
      const auto own = other_key(part, a.run, at[a.run]),
                 theirs = other_key(part, b.run, at[b.run]);
      if (own != theirs) return own < theirs;
    }
    return a.run < b.run;
  }
  std::uint64_t other_key(std::size_t part, std::size_t run, std::int64_t row) const {
    const std::byte* keys = runs_[run].keys[part];
    return key_bytes_[part] == 4 ? load<std::uint32_t>(keys + 4 * static_cast<std::size_t>(row))
                                 : load<std::uint64_t>(keys + 8 * static_cast<std::size_t>(row));
  }

  entry entry_of(std::size_t run, const cut& part, const std::vector<std::int64_t>& at) const {
    const bool done = run >= runs_.size() || at[run] >= part.end[run];
    return {done ? Key{} : key(run, at[run]), static_cast<std::uint32_t>(run), done};
  }

  void merge(const cut& part, const detail::workers& team) const {
    auto at = part.begin;
    const std::size_t leaves = std::bit_ceil(std::max<std::size_t>(runs_.size(), 2));
    std::vector<entry> losers(leaves);
    std::vector<entry> winners(2 * leaves);
    for (std::size_t i = 0; i < leaves; ++i) winners[leaves + i] = entry_of(i, part, at);
    for (std::size_t i = leaves - 1; i > 0; --i) {
      const auto &left = winners[2 * i], &right = winners[2 * i + 1];
      const bool first = before(left, right, at);
      winners[i] = first ? left : right;
      losers[i] = first ? right : left;
    }
    entry winner = winners[1];
    constexpr std::int64_t polled = 65536;
    for (std::int64_t to = part.first_out; !winner.done && to < limit_; ++to) {
      if (to % polled == 0 && team.stopping()) return;
      emit(to, winner.run, at[winner.run]);
      ++at[winner.run];
      entry next = entry_of(winner.run, part, at);
      for (std::size_t i = (leaves + winner.run) / 2; i > 0; i /= 2)
        if (before(losers[i], next, at)) std::swap(losers[i], next);
      winner = next;
    }
  }

  void emit(std::int64_t to, std::size_t run, std::int64_t row) const {
    std::byte* const at = out_ + static_cast<std::size_t>(to) * record_bytes_;
    const std::byte* const from =
        runs_[run].records + static_cast<std::size_t>(row) * record_bytes_;
    if (record_bytes_ == 4)
      std::memcpy(at, from, 4);
    else if (record_bytes_ == 8)
      std::memcpy(at, from, 8);
    else
      std::memcpy(at, from, record_bytes_);
  }

  std::span<const sorted_run> runs_;
  std::span<const std::size_t> key_bytes_;
  const std::size_t record_bytes_;
  const std::int64_t limit_;
  std::byte* const out_;
};

}  // namespace

void merge_runs(detail::workers& team, std::span<const sorted_run> runs,
                std::span<const std::size_t> key_bytes, std::size_t record_bytes,
                std::int64_t limit, std::byte* out) {
  if (key_bytes[0] == 4)
    merger<std::uint32_t>(runs, key_bytes, record_bytes, limit, out).run(team);
  else
    merger<std::uint64_t>(runs, key_bytes, record_bytes, limit, out).run(team);
}

}  // namespace pappus::algorithms

// The order in which leaves of a reduction are merged: one for all machines, however many threads,
// devices, windows or ranks made the leaves.
//
// Node i of a level merges nodes 8i to 8i + 7 of the level below, first to last; those of the
// lowest level merge leaves, by number. Leaves that don't exist are left out. So the order depends
// on which leaves there are and on nothing else, any aligned run of leaves can be merged where it
// was made, and sums of floats lose less than in one long chain. Leaves come in ascending order
// here: then one node a level is being merged, and all that is kept is one state a level.
#pragma once

#include <array>
#include <cstdint>

namespace pappus::algorithms {

/// Says what to merge with what; states are the caller's, one a level. A step is called as
/// step(from, to, first): the state of level `to` becomes that of level `from` if `first`, else
/// takes it in; from leaf_tree::leaf, the leaf that is being added.
class leaf_tree {
 public:
  static constexpr std::int64_t fan_in = 8;
  static constexpr int leaf = -1;
  static constexpr int levels_max = 21;  ///< for 2^63 leaves

  /// Levels, and so states, that so many leaves take at most.
  static constexpr int levels_of(double leaves) {
    int levels = 1;
    for (; leaves > fan_in && levels < levels_max; leaves /= fan_in) ++levels;
    return levels;
  }

  /// \param number  of the leaf, from 0; higher than those added before
  template <typename Step>
  void add(std::int64_t number, Step&& step) {
    put(leaf, number, step);
  }

  /// Merges what all levels hold. Returns the level that has the result then; `leaf`: there were no
  /// leaves. The tree is empty afterwards.
  template <typename Step>
  int finish(Step&& step) {
    int top = leaf;
    for (int level = 0; level < levels_; ++level) {
      const auto number = node(level);
      if (number == none) continue;
      if (number == 0 && is_highest(level)) {
        top = level;
        break;
      }
      put(level, number, step);
      node(level) = none;
    }
    levels_ = 0;
    return top;
  }

  /// Levels that have been in use since the last finish(): states that the caller needs.
  int levels() const noexcept { return levels_; }
  /// Whether the level's state holds something.
  bool holds(int level) const noexcept { return node(level) != none; }
  /// Whether the node that the level's state is of, or the leaf of this number, is the first of
  /// those that are merged with it.
  bool is_first(int level, std::int64_t leaf_number) const noexcept {
    return (level == leaf ? leaf_number : node(level)) % fan_in == 0;
  }

 private:
  static constexpr std::int64_t none = -1;

  std::int64_t& node(int level) { return nodes_[static_cast<std::size_t>(level)]; }
  std::int64_t node(int level) const { return nodes_[static_cast<std::size_t>(level)]; }

  bool is_highest(int level) const {
    for (int above = level + 1; above < levels_; ++above)
      if (holds(above)) return false;
    return true;
  }

  template <typename Step>
  void put(int from, std::int64_t number, Step&& step) {
    const int to = from + 1;
    if (to == levels_) node(levels_++) = none;
    const auto parent = number / fan_in, before = node(to);
    if (before != none && before != parent) put(to, before, step);
    step(from, to, before != parent);
    node(to) = parent;
  }

  int levels_ = 0;
  std::array<std::int64_t, levels_max> nodes_{};  ///< by level: which one is being merged
};

}  // namespace pappus::algorithms

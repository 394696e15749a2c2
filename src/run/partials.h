// What the leaves of a launch reduce into, on the way to its arrays (plan/leaves.cpp).
//
// A leaf has states of its own for the elements that it may touch, and only these. Leaves are
// finished in any order, and merged in that of their tree (algorithms/leaf_tree.h): a node of it by
// one thread at a time, several nodes by several threads. So beside leaves few states exist, one
// for each node that some of its leaves were merged into. The arrays are touched once, when all
// leaves are merged: a launch that fails has changed nothing.
#pragma once

#include <compare>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <set>
#include <span>
#include <vector>

#include "arrays/launch.h"
#include "pappus/detail/base/memory.h"
#include "plan/plan.h"
#include "regions/box.h"

namespace pappus::run {

/// States of some elements of one array, in row-major order.
struct partial {
  regions::box elements;  ///< in the array's numbers
  detail::buffer memory;
};
/// Of plan::stage::partial, in that order.
using partials = std::vector<partial>;

class leaf_results {
 public:
  /// \param of, stage  outlive it
  leaf_results(const arrays::launch& of, const plan::stage& stage);

  /// States that stand for no values, for a leaf's indices. Blocks while a leaf far before this one
  /// isn't merged, which others must be at work on. Throws memory_error.
  partials start(std::int64_t leaf);
  /// Some leaf won't be finished: nobody waits for it.
  void give_up();
  /// Puts them in the places of the arguments whose elements they are.
  void place(const partials& states, std::span<detail::view_place> arguments) const;
  /// A leaf that is done. Returns at once where another thread merges its neighbours; that one
  /// takes it, too. All are merged into the arrays before the call that comes last returns. Throws
  /// what merging throws; the launch must fail then.
  void finish(std::int64_t leaf, partials states);

 private:
  struct place_in_tree {
    int level;  ///< of a child 0: a leaf; of a node 0: one of leaves
    std::int64_t number;
    auto operator<=>(const place_in_tree&) const = default;
  };
  /// Of the tree: what leaves, or nodes of the level below, are merged into.
  struct node {
    partials states;                           ///< of those that came first, by number
    std::map<std::int64_t, partials> waiting;  ///< from 0 on: finished, but not those before
    std::int64_t merged = 0;                   ///< of them
    bool merging = false;                      ///< some thread does; for good where it failed
  };

  partial started(std::size_t argument, const regions::box& elements) const;
  void merge(partials& into, const partials& from) const;
  /// Takes in a child, and whatever waited for it. True: the node has all its children.
  /// \param lock  of mutex_; not held while states are merged
  bool add(std::unique_lock<std::mutex>& lock, node& to, place_in_tree child, partials states,
           std::int64_t children);
  void count_merged(std::int64_t leaf);  // with mutex_ locked
  /// Merges what all leaves have into the arrays.
  void write_out(const partials& all) const;

  const arrays::launch& launch_;
  const plan::stage& stage_;

  std::mutex mutex_;
  std::condition_variable went_on_;
  bool given_up_ = false;
  std::int64_t merged_ = 0;              // leaves, all before this one
  std::set<std::int64_t> merged_later_;  // leaves behind it
  std::map<place_in_tree, node> nodes_;  // while they aren't complete; leaves are none
};

}  // namespace pappus::run

// What the leaves of a launch reduce into, on the way to its arrays (plan/leaves.cpp).
//
// A leaf has states of its own for the elements that it may touch, and only these. Leaves are
// finished in any order; one thread at a time merges them by number, as far as they have come
// without a gap, so that beside those that are being made few states exist: one a level of the tree
// (algorithms/leaf_tree.h). The arrays are touched once, when all leaves are merged: a launch that
// fails has changed nothing.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <span>
#include <vector>

#include "algorithms/leaf_tree.h"
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

  /// States that stand for no values, for a leaf's indices. Blocks while leaves far before this
  /// one aren't done, which others must be at work on. Throws memory_error.
  partials start(std::int64_t leaf);
  /// Some leaf won't be finished: nobody waits for it.
  void give_up();
  /// Puts them in the places of the arguments whose elements they are.
  void place(const partials& states, std::span<detail::view_place> arguments) const;
  /// A leaf that is done. Returns at once where another thread merges; that one takes it, too. The
  /// last leaf is merged into the arrays before the call that does so returns. Throws what merging
  /// throws; the launch must fail then.
  void finish(std::int64_t leaf, partials states);

 private:
  void add(std::int64_t leaf, partials states);
  partial started(std::size_t argument, const regions::box& elements) const;
  void merge(partials& into, const partials& from) const;
  partials& level(int number) { return levels_[static_cast<std::size_t>(number)]; }
  /// Merges what all leaves have into the arrays.
  void write_out();

  const arrays::launch& launch_;
  const plan::stage& stage_;

  std::mutex mutex_;
  std::condition_variable went_on_;
  bool given_up_ = false;
  std::map<std::int64_t, partials> waiting_;  // finished, but others before them aren't
  std::int64_t next_ = 0;                     // to be merged
  bool merging_ = false;

  // Of the thread that merges.
  algorithms::leaf_tree tree_;
  std::vector<partials> levels_;
};

}  // namespace pappus::run

// Values that a launch reduces into elements that nobody knows before, on the way to its array
// (pappus/detail/base/value_bins.h, plan/bins.cpp).
//
// A leaf puts its values into bins of its own. Leaves are finished in any order; those before which
// none is missing are merged once they hold enough, bin by bin on all threads, each bin's values
// leaf by leaf. So values come to an element in the order of the leaves, and of their indices,
// whenever they are merged. The array is changed before the last leaf is done: one of a launch that
// fails has some of the values.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "arrays/launch.h"
#include "pappus/detail/base/memory.h"
#include "pappus/detail/base/value_bins.h"
#include "plan/plan.h"
#include "regions/box.h"
#include "threads/team.h"

namespace pappus::run {

/// How the elements of a launch's array are distributed over bins.
struct bin_shape {
  std::int64_t first = 0, count = 0;  ///< places of the array in row-major order, from there on
  int shift = 0;                      ///< a bin is for 2^shift of them
  std::int64_t bins = 0;
  std::size_t state_bytes = 0, alignment = 0;
};

/// The values of a leaf.
class leaf_values {
 public:
  /// \param chunk       values for which a bin gets memory at a time
  /// \param slab_bytes  for which the leaf does
  leaf_values(const bin_shape& shape, std::int64_t chunk, std::size_t slab_bytes,
              detail::memory_source& memory);
  leaf_values(const leaf_values&) = delete;
  leaf_values& operator=(const leaf_values&) = delete;

  detail::value_bins& bins() noexcept { return own_; }
  /// Throws memory_error where there was no room for a value.
  void check() const;
  std::size_t bytes() const noexcept { return slabs_.size() * slab_bytes_; }

  /// Of a bin, one behind another.
  struct values {
    const std::uint32_t* places;
    const std::byte* states;
    std::int64_t count;
  };
  /// Adds a bin's values in the order in which they were put there.
  void list(std::int64_t bin, std::vector<values>& to) const;

 private:
  struct chunk {
    std::byte* memory;
    std::int32_t next;  ///< of the bin; -1: none
  };
  struct ends {
    std::int32_t first = -1, last = -1;
  };

  static void make_room(detail::value_bins& of, std::int64_t bin) noexcept;
  void add_chunk(std::int64_t bin);
  void point_to(std::int64_t bin, std::byte* memory) noexcept;
  std::byte* states_in(std::byte* memory) const noexcept { return memory + places_bytes_; }

  const std::int64_t chunk_;
  const std::size_t places_bytes_, chunk_bytes_, slab_bytes_;
  detail::memory_source& memory_;
  detail::value_bins own_;
  std::vector<detail::value_bin> bins_;
  std::vector<ends> ends_;
  std::vector<chunk> chunks_;
  std::vector<detail::buffer> slabs_;
  std::size_t used_ = 0;    // of the last slab
  detail::buffer nowhere_;  // where values go that there is no memory for
  bool lost_ = false;       // some went there
};

class binned_values {
 public:
  /// \param of, stage  outlive it
  binned_values(const arrays::launch& of, const plan::stage& stage);
  ~binned_values();

  /// Bins for a leaf's values. While too much waits to be merged, and for a leaf before this one,
  /// blocks or helps to merge. Throws why merging failed.
  std::unique_ptr<leaf_values> start(std::int64_t leaf);
  /// Has the views of the launch's argument put values into these bins.
  void place(leaf_values& into, std::span<detail::view_place> arguments) const;
  /// A leaf that is done. Null: its values were merged. Merges what there is where that is enough,
  /// with threads of the team that are free. All is merged before the call that comes last returns.
  /// Throws what merging throws; the launch must fail then.
  void finish(std::int64_t leaf, std::unique_ptr<leaf_values> values, threads::team& team);

  /// There was no room for a leaf's values, which are dropped: has what waits merged, or waits for
  /// leaves before it, or for others to drop theirs.
  /// False: nothing will make room, but all before it is merged. Throws as finish() does.
  bool make_room(std::int64_t leaf, threads::team& team);
  /// Values of a leaf for which make_room() found none: its first ones that weren't merged.
  void merge_some(std::unique_ptr<leaf_values> values, threads::team& team);

  /// Some leaf won't be finished: nobody waits for it.
  void give_up();
  bool gave_up();

 private:
  struct merging;  // leaves that are merged at a time

  // With mutex_ locked.
  /// The first leaf that isn't finished.
  std::int64_t first_missing() const;
  /// Finished leaves before which none is missing; none where they hold fewer bytes than `least`,
  /// unless they are all.
  std::vector<std::unique_ptr<leaf_values>> take(std::size_t least);
  /// Unlocks it meanwhile. Nobody else may be merging.
  void merge(std::unique_lock<std::mutex>& lock, std::vector<std::unique_ptr<leaf_values>> leaves,
             threads::team& team);
  void help_or_wait(std::unique_lock<std::mutex>& lock);
  void check() const;

  void merge_bin(const std::vector<std::unique_ptr<leaf_values>>& leaves, std::int64_t bin) const;
  void help(merging& with) const;

  const arrays::launch& launch_;
  const plan::stage& stage_;
  const std::size_t argument_;
  const bin_shape shape_;
  const std::int64_t chunk_;
  const std::size_t slab_bytes_;

  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<std::int64_t, std::unique_ptr<leaf_values>> waiting_;  // finished leaves
  std::int64_t next_ = 0;                                         // leaf to be merged
  std::size_t bytes_ = 0;                                         // of finished leaves' values
  std::shared_ptr<merging> merging_;                              // null: nobody merges
  std::int64_t running_ = 0;           // leaves, or parts, that fill bins
  std::optional<std::int64_t> short_;  // of memory: leaves behind this one wait
  bool given_up_ = false;
  std::exception_ptr failure_;  // of merging
};

}  // namespace pappus::run

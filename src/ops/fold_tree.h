// The leaves of a reduction on their way to its one record, on the CPU and on devices.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "algorithms/leaf_tree.h"
#include "pappus/detail/base/memory.h"
#include "pappus/detail/base/stage.h"

namespace pappus::ops {

/// Merges states in the order of algorithms::leaf_tree. Used by one thread at a time; the reducer
/// and the memory must outlive it.
class fold_tree {
 public:
  fold_tree(const detail::reduce_kernel& reducer, detail::memory_source& memory,
            std::string_view owner)
      : reducer_(reducer), memory_(memory), owner_(owner) {}

  static constexpr std::int64_t fan_in = algorithms::leaf_tree::fan_in;

  /// \param number  of the leaf, from 0; higher than those added before
  /// \throws memory_error  naming the owner
  void add(std::int64_t number, const std::byte* leaf);
  /// Whether leaves that come can't change the record.
  bool saturated() const;
  /// The state of all leaves; without any, that of no rows. The tree is empty afterwards.
  const std::byte* merged();
  /// The record of merged().
  detail::buffer finish();

 private:
  std::byte* state_of(int level);
  void step(const std::byte* leaf, int from, int to, bool first);

  const detail::reduce_kernel& reducer_;
  detail::memory_source& memory_;
  std::string_view owner_;
  algorithms::leaf_tree tree_;
  std::array<detail::buffer, algorithms::leaf_tree::levels_max> states_;  ///< by level
};

}  // namespace pappus::ops

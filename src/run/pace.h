// Runs many indices in parts, so that who cancels a launch needn't wait for a whole item.
//
// Parts begin small and grow while they are quick, so that quick functions are called with all
// indices of an item at once and slow ones with few. How fast a machine is must not show in
// results: parts run in the order of the indices, and begin where vectors do.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>

#include "regions/box.h"

namespace pappus::run {

/// Where indices may be cut.
struct grain {
  std::size_t dimensions = 0;   ///< the first so many
  std::int64_t neighbours = 1;  ///< of the last of these: a part has a multiple of them
  /// Along a dimension before it: the same, but where that would be too many indices.
  std::size_t along = 0;
  std::int64_t together = 1;
};

/// Of a launch: how many indices are run between two looks at whether it is cancelled.
class pace {
 public:
  /// Calls look() and run(part) for each part.
  template <typename Look, typename Run>
  void each_part(const regions::box& all, const grain& cut, Look&& look, Run&& run) {
    if (all.volume() <= indices_.load(std::memory_order_relaxed) || cut.dimensions == 0) {
      look();
      run(all);
    } else {
      cut_along(0, all, cut, [&](const regions::box& part) {
        look();
        const auto begun = clock::now();
        run(part);
        adapt(part.volume(), clock::now() - begun);
      });
    }
  }

 private:
  using clock = std::chrono::steady_clock;
  static constexpr std::int64_t least = 1024, together_max = 1 << 19;

  template <typename Run>
  void cut_along(std::size_t d, regions::box left, const grain& cut, Run&& run) {
    const bool last = d + 1 >= std::min<std::size_t>(cut.dimensions, regions::rank_max);
    while (!left.empty()) {
      const auto wanted = indices_.load(std::memory_order_relaxed);
      const auto each = left.volume() / left.extent(d);
      const bool few = d == cut.along && each * cut.together <= together_max;
      const auto unit = last ? cut.neighbours : few ? cut.together : 1;
      auto part = left;
      if (each > wanted && !last && unit == 1) {
        part.high[d] = part.low[d] + 1;
        cut_along(d + 1, part, cut, run);
      } else {
        auto length = std::max<std::int64_t>(1, wanted / (each * unit)) * unit;
        if (!last && d == cut.along && length > cut.together) length -= length % cut.together;
        part.high[d] = std::min(left.high[d], part.low[d] + length);
        run(part);
      }
      left.low[d] = part.high[d];
    }
  }

  void adapt(std::int64_t indices, clock::duration took) {
    constexpr std::chrono::microseconds little{2000}, much{10'000};
    const auto now = indices_.load(std::memory_order_relaxed);
    if (took < little && indices >= now / 2)
      indices_.store(std::min(2 * now, std::int64_t{1} << 40), std::memory_order_relaxed);
    else if (took > much)
      indices_.store(std::max(now / 2, least), std::memory_order_relaxed);
  }

  std::atomic<std::int64_t> indices_{least};
};

}  // namespace pappus::run

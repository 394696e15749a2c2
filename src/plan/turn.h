// The parts that turns are run in: each by one thread, in the order of their numbers.
//
// Where launches touch their own band alone, a part is one band, taken through all of them. Where
// they touch neighbours, too, bands are put together to tiles in space and time: of the first
// launch a tile has so many bands, of each launch after it one less at both its sides, so that it
// needs nothing of other tiles. The wedges between are parts of their own, after all tiles: of the
// first launch they have no band, of each launch after it two more. Within a part launch l does
// band b at step b + l, so that what one of them writes is read while it is in the core's cache.
//
//     launch 2    0 0 0 0\2 2 2 2/1 1 1 1        parts 0 and 1 are tiles, 2 is the wedge
//     launch 1    0 0 0 0 0\2 2/1 1 1 1 1
//     launch 0    0 0 0 0 0 0|1 1 1 1 1 1
//
// Split tiling (Krishnamoorthy et al., "Effective automatic parallelization of stencil
// computations", PLDI 2007).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "plan/plan.h"

namespace pappus::plan {

struct bands {
  std::int64_t begin, end;
};

/// Of a turn of so many bands.
class turn_parts {
 public:
  turn_parts(const turn& of, std::int64_t bands)
      : tile_(of.tile),
        stages_(static_cast<std::int64_t>(of.stages)),
        bands_(bands),
        tiles_(of.tile == 0 ? bands : std::max<std::int64_t>(1, bands / of.tile)) {}

  std::int64_t count() const { return tile_ == 0 || bands_ == 0 ? bands_ : 2 * tiles_ - 1; }
  bool is_wedge(std::int64_t part) const { return part >= tiles_; }
  /// The first of the two tiles that a wedge lies between.
  std::int64_t tile_before(std::int64_t wedge) const { return wedge - tiles_; }

  /// What the part has of a stage, which counts from the turn's first.
  bands of_stage(std::int64_t part, std::int64_t stage) const {
    if (tile_ == 0) return {part, part + 1};
    if (is_wedge(part)) {
      const auto border = (tile_before(part) + 1) * tile_;
      return {border - stage, border + stage};
    }
    return {part == 0 ? 0 : part * tile_ + stage,
            part == tiles_ - 1 ? bands_ : (part + 1) * tile_ - stage};
  }

  /// Calls run(stage, band) for all items of a part, in their order.
  template <typename Run>
  void each_item(std::int64_t part, Run&& run) const {
    const std::int64_t lag = tile_ == 0 ? 0 : 1, last = stages_ - 1;
    const auto begin = std::min(of_stage(part, 0).begin, of_stage(part, last).begin + lag * last);
    const auto end = std::max(of_stage(part, 0).end, of_stage(part, last).end + lag * last);
    for (auto step = begin; step < end; ++step)
      for (std::int64_t stage = 0; stage < stages_; ++stage) {
        const auto [low, high] = of_stage(part, stage);
        if (const auto band = step - lag * stage; low <= band && band < high) run(stage, band);
      }
  }

 private:
  std::int64_t tile_, stages_, bands_, tiles_;
};

}  // namespace pappus::plan

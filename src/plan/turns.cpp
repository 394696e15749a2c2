// Lets launches that pass over the same arrays take turns, band by band, so that what one of them
// leaves in the cache is still there for the next: loop fusion and skewed tiling across launches.
//
// A launch may do band b as soon as the one before it has done the bands that b touches. Where that
// is the same band (element-wise launches), one thread takes a band through all launches. Where
// neighbours are touched, too, bands are narrower, and a thread takes a tile of them through all
// launches, each a band behind the one before it (turn.h). Loops, and so all bits, stay what they
// are; only the order of items changes. After OPS's lazy tiling (Reguly, Mudalige, Giles, "Loop
// tiling in large-scale stencil codes at run-time with OPS", arXiv 1704.00693), which generates
// loops for it and computes band by band what may run; here the order is closed-form.
//
// Tried: launches two bands behind each other, so that all items of a step are independent. What a
// core has written another one reads then: 168 million updates of a stencil, 13 ms of computing on
// two threads, took 36 ms instead of 20.
#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "pappus/detail/base/integers.h"
#include "pappus/detail/base/stream.h"
#include "plan/batch.h"

namespace pappus::plan {
namespace {

using arrays::launch_of;

constexpr double saving_min = 0.3;  // of the traffic, for turns to be taken
constexpr std::int64_t unbounded = INT64_MAX;
constexpr std::int64_t tile_bands_a_launch = 4;

/// Bytes of each array that launches touch.
using touched_bytes = std::map<const arrays::image*, double>;

touched_bytes bytes_touched(const stage& s) {
  touched_bytes result;
  const auto& by = launch_of(*s.node);
  for (const auto& one : by.accesses) {
    const auto& array = by.arguments[one.argument].array;
    const auto bytes = static_cast<double>(touched(by, one, by.indices).volume()) *
                       static_cast<double>(array->element.size);
    auto& known = result[array.get()];
    known = std::max(known, bytes);
  }
  return result;
}

/// How far along the first dimension a stage reaches into what another does: at index i it touches
/// what the other does from i - back to i + ahead.
struct distance {
  std::int64_t back = 0, ahead = 0;
};

distance reach(const need& n) {
  const auto apart = n.apart.front();
  if (apart.empty()) return {};
  const auto bounded = [](std::int64_t far) {
    return far >= std::int64_t{1} << 40 ? unbounded : std::max<std::int64_t>(0, far);
  };
  return {bounded(apart.high), apart.low == INT64_MIN ? unbounded : bounded(-apart.low)};
}

/// Stages [first, first + count) that may take turns, and how far they reach.
struct group {
  std::size_t first = 0, count = 0;
  distance reach{};
  touched_bytes touched;
  double together = 0;  ///< bytes of all arrays, once
  double apart = 0;     ///< bytes that the launches move one after another
};

void add(group& to, const stage& s) {
  ++to.count;
  for (const auto& [array, bytes] : bytes_touched(s)) {
    auto& known = to.touched[array];
    to.together += std::max(0.0, bytes - known);
    known = std::max(known, bytes);
    to.apart += bytes;
  }
}

/// Whether a stage's indices are known well enough, and may be cut into bands, which don't touch
/// more than stays in memory.
bool may_take_turns(const stage& s) {
  const auto& by = launch_of(*s.node);
  return by.known != arrays::launch::knowledge::assumed && !by.indices.empty() &&
         s.leaves.rank() == 0 && (s.cut_along & 1U) != 0 && !s.in_blocks;
}

/// Whether a stage may take turns with those before it, whatever it does.
bool may_join(const plan& p, std::size_t first, std::size_t next) {
  return next < p.stages.size() && may_take_turns(p.stages[next]) &&
         launch_of(*p.stages[next].node).indices == launch_of(*p.stages[first].node).indices;
}

/// The group with one more stage; none: it can't take turns with them.
std::optional<group> extended(const plan& p, const group& of, std::size_t next) {
  if (!may_join(p, of.first, next)) return std::nullopt;
  const auto& s = p.stages[next];
  auto result = of;
  bool shares = false;
  for (const auto& [array, bytes] : bytes_touched(s)) shares |= of.touched.contains(array);
  if (!shares) return std::nullopt;
  for (const auto& n : s.needs) {
    if (index(n.before) < of.first) continue;
    const auto [back, ahead] = reach(n);
    result.reach = {std::max(result.reach.back, back), std::max(result.reach.ahead, ahead)};
  }
  // What lies behind is done, where none has to run behind another.
  if (result.reach.ahead == unbounded || (result.reach.ahead > 0 && result.reach.back == unbounded))
    return std::nullopt;
  add(result, s);
  return result;
}

/// Indices of the first dimension that a band has at least: it touches no others' than its
/// neighbours'.
std::int64_t rows_min(const group& of) {
  return of.reach.ahead == 0 ? 1 : std::max(of.reach.back, of.reach.ahead);
}

double row_bytes(const group& of, const regions::box& indices) {
  return std::max(of.together / static_cast<double>(std::max<std::int64_t>(indices.extent(0), 1)),
                  1.0);
}

/// Rows that are live in a core's cache: of element-wise launches a band, else one of each launch
/// and its neighbours.
std::int64_t live_bands(const group& of) {
  return of.reach.ahead == 0 ? 1 : static_cast<std::int64_t>(of.count) + 2;
}

/// Rows of a band, so that what is live between two launches' passes stays in the core's cache.
std::int64_t band_rows(const cost::machine& m, const group& of, const regions::box& indices) {
  const auto room = 0.5 * static_cast<double>(m.cache_bytes) / static_cast<double>(live_bands(of));
  const auto fitting = static_cast<std::int64_t>(room / row_bytes(of, indices));
  const auto for_threads = indices.extent(0) / (std::int64_t{8} * m.threads);
  return std::max<std::int64_t>({1, rows_min(of), std::min(fitting, for_threads)});
}

/// Bands of a tile: several tiles for each thread, that are wide beside the wedges between them.
/// \param least  for each launch, at least 2
std::int64_t tile_bands(const cost::machine& m, const group& of, std::int64_t bands,
                        std::int64_t least) {
  if (of.reach.ahead == 0) return 0;
  const auto wide = least * static_cast<std::int64_t>(of.count);
  const auto tiles = std::clamp<std::int64_t>(bands / wide, 1, 4 * std::int64_t{m.threads});
  return std::max<std::int64_t>(1, bands / tiles);
}

/// Whether what launches touch stays in the cache that cores share, whatever their order.
bool is_in_cache(const cost::machine& m, const group& of) {
  return of.together < 0.5 * static_cast<double>(m.last_cache_bytes);
}

bool pays(const cost::machine& m, const group& of, const regions::box& indices, std::int64_t rows,
          std::int64_t bands) {
  if (is_in_cache(m, of)) return false;
  if (of.apart - of.together < saving_min * of.apart) return false;
  const auto tile = tile_bands(m, of, bands, tile_bands_a_launch);
  if (tile == 0) return bands >= m.threads;
  const auto live = static_cast<double>(live_bands(of) * rows) * row_bytes(of, indices) * m.threads;
  return bands / tile >= m.threads && live <= 0.5 * static_cast<double>(m.last_cache_bytes);
}

/// Cuts the group's stages into the same bands.
void band(plan& p, const group& of, std::int64_t rows) {
  for (std::size_t i = of.first; i < of.first + of.count; ++i) {
    const auto& indices = launch_of(*p.stages[i].node).indices;
    std::vector<regions::cuts> dimensions;
    for (std::size_t d = 0; d < indices.rank; ++d)
      dimensions.push_back(
          regions::cuts::even(indices.low[d], indices.high[d],
                              d == 0 ? rows : std::max<std::int64_t>(indices.extent(d), 1)));
    p.stages[i].items = regions::grid(std::move(dimensions));
  }
}

void tell(plan& p, const group& of, std::int64_t rows) {
  const auto saved = of.apart - of.together;
  p.stages[of.first].turns_note = fmt::format(
      "{} launches {}, bands of {} {}: {} instead of {} through memory", of.count,
      of.reach.ahead == 0 ? "in one pass" : "in one sweep", base::count_text(rows),
      rows == 1 ? "row" : "rows", base::bytes_text(of.apart - saved), base::bytes_text(of.apart));
}

/// A group cut into bands.
struct banded {
  group of;
  std::int64_t rows = 1, tile = 0;  ///< of a band; bands of a tile
};

/// None: it doesn't pay that they take turns.
std::optional<banded> in_bands(const batch_request& asked, const group& of,
                               const regions::box& indices) {
  auto rows = band_rows(asked.machine, of, indices);
  if (asked.item_indices > 0) {
    const auto row = indices.volume() / std::max<std::int64_t>(indices.extent(0), 1);
    rows = std::max<std::int64_t>(
        {rows_min(of), 1, asked.item_indices / std::max<std::int64_t>(row, 1)});
  }
  const auto bands = detail::ceil_div(indices.extent(0), rows);
  if (!asked.always_in_turns && !pays(asked.machine, of, indices, rows, bands)) return std::nullopt;
  const auto least = asked.always_in_turns ? 2 : tile_bands_a_launch;
  return banded{of, rows, tile_bands(asked.machine, of, bands, least)};
}

/// What the stages from `first` on do about turns: as many as possible take them.
struct choice {
  std::optional<banded> turns;
  std::size_t none_before = 0;  ///< where there are none: nor do any begin before this stage
};

choice choose_from(const plan& p, const batch_request& asked, std::size_t first) {
  choice result{.turns = {}, .none_before = first + 1};
  if (!may_take_turns(p.stages[first])) return result;
  const auto& indices = launch_of(*p.stages[first].node).indices;
  group now{.first = first, .touched = {}};
  add(now, p.stages[first]);
  auto next = first + 1;
  for (; auto more = extended(p, now, next); ++next) {
    now = std::move(*more);
    if (auto fitting = in_bands(asked, now, indices)) result.turns = std::move(fitting);
  }
  // Where all of them fit the cache, so do some.
  const bool in_cache = !asked.always_in_turns && is_in_cache(asked.machine, now);
  if (in_cache && !may_join(p, first, next)) result.none_before = next;
  return result;
}

}  // namespace

void order_items(plan& p, const batch_request& asked) {
  for (std::size_t first = 0; first < p.stages.size();) {
    const auto [turns, none_before] = choose_from(p, asked, first);
    if (turns) {
      band(p, turns->of, turns->rows);
      tell(p, turns->of, turns->rows);
      p.order.push_back({first, turns->of.count, turns->tile});
      first += turns->of.count;
      continue;
    }
    for (; first < none_before; ++first) {
      auto& s = p.stages[first];
      p.order.push_back({first, 1, 0});
      s.past_caches = s.bytes.written > static_cast<double>(detail::streamed_beyond_bytes);
    }
  }
}

}  // namespace pappus::plan

// Lets launches that pass over the same arrays take turns, band by band, so that what one of them
// leaves in the cache is still there for the next: loop fusion and skewed tiling across launches.
//
// A launch may do band b as soon as the one before it has done the bands that b touches. Where that
// is the same band (element-wise launches), one thread takes a band through all launches. Where
// neighbours are touched, each launch runs behind the one before it by that distance: bands of one
// step (band + skew·launch) are independent of each other. Loops, and so all bits, stay what they
// are; only the order of items changes. After OPS's lazy tiling (Reguly, Mudalige, Giles, "Loop
// tiling in large-scale stencil codes at run-time with OPS", arXiv 1704.00693), which generates
// loops for it and computes band by band what may run; here the order is closed-form.
#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "pappus/detail/base/integers.h"
#include "plan/batch.h"

namespace pappus::plan {
namespace {

using arrays::launch_of;

constexpr double saving_min = 0.3;  // of the traffic, for turns to be taken
constexpr std::int64_t unbounded = INT64_MAX;

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

/// How far behind a stage another has to stay, in indices of the first dimension: what the later
/// one touches at index i is done once the earlier has done i + reach. Unbounded: all of it.
std::int64_t reach(const need& n) {
  const auto apart = n.apart.front();
  if (apart.empty()) return 0;
  if (apart.low <= -(std::int64_t{1} << 40)) return unbounded;
  return std::max<std::int64_t>(0, -apart.low);
}

/// Stages [first, first + count) that may take turns, and how far they reach.
struct group {
  std::size_t first = 0, count = 0;
  std::int64_t reach = 0;
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

/// Whether a stage's indices are known well enough, and may be cut into bands.
bool may_take_turns(const stage& s) {
  const auto& by = launch_of(*s.node);
  return by.known != arrays::launch::knowledge::assumed && !by.indices.empty() &&
         s.leaves.rank() == 0 && (s.cut_along & 1U) != 0;
}

/// The group with one more stage; none: it can't take turns with them.
std::optional<group> extended(const plan& p, const group& of, std::size_t next) {
  const auto& s = p.stages[next];
  const auto& by = launch_of(*s.node);
  if (!may_take_turns(s) || by.indices != launch_of(*p.stages[of.first].node).indices)
    return std::nullopt;
  auto result = of;
  bool shares = false;
  for (const auto& [array, bytes] : bytes_touched(s)) shares |= of.touched.contains(array);
  if (!shares) return std::nullopt;
  for (const auto& n : s.needs) {
    if (index(n.before) < of.first) continue;
    const auto far = reach(n);
    if (far == unbounded) return std::nullopt;
    result.reach = std::max(result.reach, far);
  }
  add(result, s);
  return result;
}

/// Rows of a band, so that what is live between two launches' passes stays in the cache.
std::int64_t band_rows(const cost::machine& m, const group& of, const regions::box& indices) {
  const auto rows = static_cast<double>(indices.extent(0));
  const auto row_bytes = std::max(of.together / std::max(rows, 1.0), 1.0);
  // Element-wise: one band of each array, in a core's cache. Else as many bands as there are steps
  // between the first launch and the last, in the cache that cores share.
  const double room = of.reach == 0 ? 0.5 * static_cast<double>(m.cache_bytes)
                                    : 0.5 * static_cast<double>(m.last_cache_bytes) /
                                          (2 * static_cast<double>(of.count) + m.threads);
  const auto fitting = static_cast<std::int64_t>(room / row_bytes);
  const auto for_threads = indices.extent(0) / (std::int64_t{8} * m.threads);
  return std::max<std::int64_t>({1, of.reach, std::min(fitting, for_threads)});
}

bool pays(const cost::machine& m, const group& of, std::int64_t rows, std::int64_t bands) {
  if (of.together < 0.5 * static_cast<double>(m.last_cache_bytes)) return false;
  if (of.apart - of.together < saving_min * of.apart) return false;
  if (of.reach == 0) return bands >= m.threads;
  // Of the bands of a step at most as many as launches can run at once.
  const auto live = of.together / static_cast<double>(std::max<std::int64_t>(bands, 1)) *
                    (2 * static_cast<double>(of.count));
  return of.count >= m.threads && bands >= 4 * static_cast<std::int64_t>(of.count) &&
         live <= static_cast<double>(m.last_cache_bytes) && rows >= of.reach;
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
  p.stages[of.first].notes.push_back(fmt::format(
      "{} launches {}, bands of {} {}: {} instead of {} through memory", of.count,
      of.reach == 0 ? "in one pass" : "in one sweep", base::count_text(rows),
      rows == 1 ? "row" : "rows", base::bytes_text(of.apart - saved), base::bytes_text(of.apart)));
}

}  // namespace

void order_items(plan& p, const batch_request& asked) {
  for (std::size_t first = 0; first < p.stages.size();) {
    group best{.first = first, .touched = {}};
    add(best, p.stages[first]);
    const auto& indices = launch_of(*p.stages[first].node).indices;
    const bool possible = may_take_turns(p.stages[first]);
    for (std::size_t next = first + 1; possible && next < p.stages.size(); ++next) {
      auto more = extended(p, best, next);
      if (!more) break;
      best = std::move(*more);
    }
    auto rows = band_rows(asked.machine, best, indices);
    if (asked.item_indices > 0)
      rows = std::max<std::int64_t>(
          {best.reach, 1,
           asked.item_indices /
               std::max<std::int64_t>(
                   indices.volume() / std::max<std::int64_t>(indices.extent(0), 1), 1)});
    const auto bands = detail::ceil_div(indices.extent(0), rows);
    const bool chosen =
        best.count > 1 && (asked.always_in_turns || pays(asked.machine, best, rows, bands));
    if (!chosen) {
      p.order.push_back({first, 1, 0});
      ++first;
      continue;
    }
    band(p, best, rows);
    tell(p, best, rows);
    // A single band has no neighbours to wait for.
    p.order.push_back({first, best.count, best.reach == 0 || bands == 1 ? 0 : 2});
    first += best.count;
  }
}

}  // namespace pappus::plan

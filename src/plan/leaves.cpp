// How launches reduce: straight into their arrays, or leaf by leaf.
//
// Where the index space can be cut so that no two parts touch the same elements, as that of a
// matrix product over (i, k, j) along i and j, nothing is in the way: an element's values come in
// the order of the indices, however many items there are. Else it is cut into leaves, by its shape
// and the number of elements alone, since sums of floats show where they were cut. A leaf reduces
// into states of its own (run/partials.h), and these are merged by number
// (algorithms/leaf_tree.h). Where arrays in files are read, leaves are what chunks.cpp cut.
#include <algorithm>
#include <bit>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/text.h"
#include "pappus/detail/base/integers.h"
#include "plan/batch.h"

namespace pappus::plan {
namespace {

using arrays::launch_of;

constexpr std::int64_t parts_wanted = 64;                // enough for the threads of most machines
constexpr std::int64_t leaf_min = 64, leaf_max = 65536;  // indices
constexpr std::int64_t leaf_an_element = 16;  // indices for each state that will have to be merged
constexpr std::int64_t leaves_looked_at = 4096;

/// Indices of a leaf, as a power of two, so that leaves more often begin where an element does of
/// which several neighbours are part.
std::int64_t leaf_indices(const arrays::launch& of, const std::vector<std::size_t>& reducing) {
  std::int64_t elements = 0;
  for (const auto a : reducing)
    elements = regions::saturated_sum(elements, touched(of, a, of.indices).volume());
  const auto many = regions::saturated_product(elements, leaf_an_element);
  const auto few = std::clamp(of.indices.volume() / parts_wanted, leaf_min, leaf_max);
  const auto wanted = std::min(std::max(few, many), std::int64_t{1} << 62);
  return static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(wanted)));
}

/// Cells of about so many indices, by cuts along the slowest dimensions; a single one of less than
/// twice as many. Numbers of cells are rounded up, so that with one dimension cells have just as
/// many: 15 cells for 1000 indices in cells of 64 would become 8 of 128.
regions::grid cut(const regions::box& indices, std::int64_t cell) {
  const auto volume = indices.volume();
  auto left = volume / cell <= 1 ? 1 : detail::ceil_div(volume, cell);
  std::vector<regions::cuts> dimensions;
  for (std::size_t d = 0; d < indices.rank; ++d) {
    const auto extent = std::max<std::int64_t>(indices.extent(d), 1);
    const auto step = std::bit_ceil(static_cast<std::uint64_t>(
        detail::ceil_div(extent, std::clamp<std::int64_t>(left, 1, extent))));
    dimensions.push_back(
        regions::cuts::even(indices.low[d], indices.high[d], static_cast<std::int64_t>(step)));
    left = detail::ceil_div(left, std::max<std::int64_t>(dimensions.back().size(), 1));
  }
  return regions::grid(std::move(dimensions));
}

/// Cells of so many indices at most, or one, that follow each other as their indices do.
regions::grid cut_in_order(const regions::box& indices, std::int64_t cell) {
  std::vector<regions::cuts> dimensions;
  auto inner = indices.volume();
  bool whole = false;  // are dimensions from here on
  for (std::size_t d = 0; d < indices.rank; ++d) {
    inner /= indices.extent(d);
    const auto step = whole ? indices.extent(d) : std::max<std::int64_t>(cell / inner, 1);
    whole = whole || step > 1;
    dimensions.push_back(regions::cuts::even(indices.low[d], indices.high[d], step));
  }
  return regions::grid(std::move(dimensions));
}

/// Whether each leaf touches elements of an argument that no other one touches: what leaves touch
/// lies one after another along a dimension of the array.
bool are_apart(const arrays::launch& of, std::size_t argument, const regions::grid& leaves) {
  unsigned cut_along = 0;
  for (std::size_t d = 0; d < leaves.rank(); ++d)
    if (leaves.dimension(d).size() > 1) cut_along |= 1U << d;
  if ((cut_along & ~dimensions_apart(of, argument)) == 0) return true;
  if (are_separate(of, argument, leaves, [](const regions::box& elements) { return elements; }))
    return true;
  if (leaves.size() > leaves_looked_at) return false;
  const auto rank = of.arguments[argument].part.rank;
  unsigned ascending = (1U << rank) - 1;
  auto before = touched(of, argument, leaves.cell(0));
  for (std::int64_t n = 1; n < leaves.size() && ascending != 0; ++n) {
    const auto next = touched(of, argument, leaves.cell(n));
    for (std::size_t d = 0; d < rank; ++d)
      if (next.low[d] < before.high[d]) ascending &= ~(1U << d);
    before = next;
  }
  return ascending != 0;
}

regions::box first_row(const regions::box& indices) {
  auto row = indices;
  for (std::size_t d = 0; d + 1 < indices.rank; ++d) row.high[d] = row.low[d] + 1;
  return row;
}

/// Whether the indices of a row reduce into the same few elements of an argument.
bool shares_in_rows(const arrays::launch& of, std::size_t argument) {
  constexpr std::int64_t row_min = 512, indices_an_element = 4 * detail::reduction_lanes;
  const auto row = first_row(of.indices);
  const auto elements = touched(of, argument, row).volume();
  return row.volume() >= row_min && elements <= row.volume() / indices_an_element;
}

/// Arguments, as bits, that get lanes: the typed loop takes any of two, or all that can.
std::uint32_t lanes(const arrays::launch& of, const std::vector<std::size_t>& reducing) {
  std::uint32_t result = 0, possible = 0;
  for (const auto a : reducing) {
    if (a >= 32 || of.arguments[a].reduction.merge_lanes == nullptr) continue;
    possible |= 1U << a;
    if (shares_in_rows(of, a)) result |= 1U << a;
  }
  return std::popcount(possible) <= 2 || result == possible ? result : 0;
}

bool has_lanes(std::uint32_t lanes, std::size_t argument) {
  return argument < 32 && (lanes >> argument & 1U) != 0;
}

/// Whether along the last dimension no two indices reduce into the same state.
bool are_independent(const arrays::launch& of, const std::vector<std::size_t>& reducing,
                     std::uint32_t lanes) {
  const auto last = of.indices.rank - 1;
  return of.indices.extent(last) <= 1 || std::ranges::all_of(reducing, [&](std::size_t a) {
           return has_lanes(lanes, a) || (dimensions_apart(of, a) >> last & 1U) != 0;
         });
}

/// Rows whose lanes are apart and fit in the first-level cache together; other sums keep the order
/// of the indices when several rows are run at once.
std::int64_t rows_with_lanes(const arrays::launch& of, const std::vector<std::size_t>& reducing,
                             std::uint32_t lanes) {
  constexpr std::int64_t rows_max = 16, bytes_max = 16 << 10;
  if (lanes == 0 || of.indices.rank < 2) return 1;
  const auto last = of.indices.rank - 1;
  const auto row = first_row(of.indices);
  std::int64_t bytes = 1;
  for (const auto a : reducing) {
    const auto along = 1U << (last - 1) | (has_lanes(lanes, a) ? 0 : 1U << last);
    if ((dimensions_apart(of, a) & along) == 0) return 1;
    if (has_lanes(lanes, a))
      bytes += touched(of, a, row).volume() * detail::reduction_lanes *
               static_cast<std::int64_t>(of.arguments[a].array->element.size);
  }
  return std::clamp<std::int64_t>(bytes_max / bytes, 1, rows_max);
}

/// Parts that are apart and not too narrow.
std::int64_t parts_along(unsigned dimensions, const regions::box& indices) {
  std::int64_t result = 1;
  for (std::size_t d = 0; d < indices.rank; ++d)
    if ((dimensions >> d & 1U) != 0)
      result = regions::saturated_product(
          result, detail::ceil_div(indices.extent(d), strip(indices, dimensions, d)));
  return result;
}

/// Leaves that may be begun before one that isn't done: they wait with their states.
std::int64_t leaves_ahead(const cost::machine& m, double leaf_bytes) {
  constexpr double bytes_waiting = 64 << 20;
  constexpr std::int64_t most = 64;
  const auto fitting = static_cast<std::int64_t>(bytes_waiting / std::max(leaf_bytes, 1.0));
  const auto in_memory = 0.25 * static_cast<double>(m.host_memory) / std::max(leaf_bytes, 1.0);
  const auto least = std::clamp(in_memory, 1.0, 2.0 * m.threads);
  const auto wanted = std::min(static_cast<double>(std::min(fitting, most)), in_memory);
  return static_cast<std::int64_t>(std::max(least, wanted));
}

double leaf_bytes(const stage& s) {
  const auto& of = launch_of(*s.node);
  double bytes = 0;
  for (const auto a : s.partial)
    bytes += std::max(bytes_touched(of, a, s.leaves.cell(0)),
                      bytes_touched(of, a, typical_cell(s.leaves)));
  return bytes;
}

void tell(stage& s) {
  s.notes.push_back(fmt::format(
      "reduces in {} leaves of {} indices, each into {} of its own, merged in a fixed order",
      base::count_text(s.leaves.size()), base::count_text(typical_cell(s.leaves).volume()),
      base::bytes_text(leaf_bytes(s))));
}

void tell_bins(stage& s) {
  const auto& of = launch_of(*s.node);
  const auto size = of.arguments[s.partial.front()].array->element.size;
  s.notes.push_back(fmt::format(
      "puts values aside in bins of {} of {}, and merges them leaf by leaf, {} indices each",
      base::bytes_text(static_cast<double>(s.bins->elements) * static_cast<double>(size)),
      of.arguments[s.partial.front()].name, base::count_text(typical_cell(s.leaves).volume())));
}

}  // namespace

std::int64_t strip(const regions::box& indices, unsigned cut_along, std::size_t dimension) {
  constexpr std::int64_t neighbours = 256;
  bool within = false;
  for (std::size_t d = 0; d < dimension; ++d)
    within |= (cut_along >> d & 1U) == 0 && indices.extent(d) > 1;
  if (!within) return 1;
  std::int64_t inner = 1;
  for (auto d = dimension + 1; d < indices.rank; ++d)
    inner = regions::saturated_product(inner, std::max<std::int64_t>(indices.extent(d), 1));
  return detail::ceil_div(neighbours, inner);
}

unsigned all_apart_along(const arrays::launch& of) {
  unsigned result = ~0U;
  for (const auto a : arrays::reducing_arguments(of)) result &= dimensions_apart(of, a);
  for (std::size_t d = 0; d < of.indices.rank; ++d)
    if (of.indices.extent(d) <= 1) result |= 1U << d;
  return result;
}

void find_leaves(plan& p, const batch_request& asked) {
  for (auto& s : p.stages) {
    const auto& of = launch_of(*s.node);
    const auto reducing = arrays::reducing_arguments(of);
    if (reducing.empty() || of.indices.empty()) continue;
    const auto apart = all_apart_along(of);
    s.cut_along = apart;
    s.lanes = lanes(of, reducing);
    s.lane_rows = rows_with_lanes(of, reducing, s.lanes);
    s.independent = are_independent(of, reducing, s.lanes);
    const bool in_chunks = s.chunks.rank() > 0;
    if (wants_bins(of, asked)) {
      s.bins = bins_for(of, asked);
      s.leaves = in_chunks ? s.chunks : cut_in_order(of.indices, binned_indices(of, asked));
      s.partial = reducing;
      s.lanes = 0, s.independent = false;
      tell_bins(s);
      continue;
    }
    if (!in_chunks && parts_along(apart, of.indices) >= parts_wanted) continue;
    auto leaves = in_chunks ? s.chunks : cut(of.indices, leaf_indices(of, reducing));
    if (leaves.size() <= 1) continue;
    s.leaves = std::move(leaves);
    for (const auto a : reducing)
      if (!are_apart(of, a, s.leaves)) s.partial.push_back(a);
    if (s.partial.empty()) continue;
    s.leaves_ahead = leaves_ahead(asked.machine, leaf_bytes(s));
    tell(s);
  }
}

bool is_partial(const stage& s, std::size_t access) {
  const auto argument = launch_of(*s.node).accesses[access].argument;
  return std::ranges::find(s.partial, argument) != s.partial.end();
}

}  // namespace pappus::plan

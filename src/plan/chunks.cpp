// Cuts launches over arrays in files where the chunks of these end.
//
// Of the arrays in files that a launch reads, the one with the most bytes drives it: an item has
// the indices that touch one of its chunks, or several neighbours where that would be too little to
// do; of several it reads as few at a time as are worth their while. So each chunk is loaded once,
// whatever memory there is, and so are those of arrays that are cut alike. Where indices are cut
// depends on the launch and the file alone, since what is reduced shows it (leaves.cpp).
#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "arrays/file_elements.h"
#include "arrays/leases.h"
#include "base/text.h"
#include "plan/batch.h"

namespace pappus::plan {
namespace {

using arrays::launch_of;

constexpr std::int64_t cuts_max = 1 << 20;   // of all dimensions together
constexpr std::int64_t item_min = 1 << 14;   // indices
constexpr double item_bytes_max = 64 << 20;  // of the driving array, where chunks are joined
// For each state that items reduce into, and that is merged later: at least, and where there are
// many items.
constexpr std::int64_t indices_a_state = 16, indices_a_state_of_many = 64, many_items = 256;
constexpr double read_a_state = 4;  // bytes that are read at a time, for each of a state

/// The array in a file of which most bytes are touched; none: there is none.
std::optional<std::size_t> driving(const arrays::launch& of) {
  std::optional<std::size_t> result;
  double most = 0;
  for (std::size_t a = 0; a < of.arguments.size(); ++a) {
    if (!is_in_file(of.arguments[a])) continue;
    const auto bytes = bytes_touched(of, a, of.indices);
    if (bytes > most) result = a, most = bytes;
  }
  return result;
}

/// Of an array's dimension: elements factor·index[d] + first of the array, and maybe neighbours.
struct along {
  std::size_t index = 0;
  std::int64_t factor = 0, first = 0;
};

/// How elements along a dimension follow one of the index; none: they don't, or not upwards.
std::optional<along> follows(const regions::linear_access& by, std::size_t d,
                             const regions::box& part) {
  std::optional<along> result;
  for (std::size_t i = 0; i < regions::rank_max; ++i) {
    const auto factor = by.low[d].factors[i];
    if (factor == 0) continue;
    if (factor < 0 || result) return std::nullopt;
    result = along{i, factor, 0};
  }
  if (!result || __builtin_add_overflow(by.low[d].constant, part.low[d], &result->first))
    return std::nullopt;
  return result;
}

/// Where chunks that lie `step` apart begin, as indices, and both ends of them.
std::vector<std::int64_t> positions(const along& by, std::int64_t low, std::int64_t high,
                                    std::int64_t step) {
  std::vector<std::int64_t> result{low};
  while (true) {
    const auto chunk = (by.factor * result.back() + by.first) / step + 1;
    const auto ahead = chunk * step - by.first;
    const auto next = ahead / by.factor + (ahead % by.factor > 0 ? 1 : 0);
    if (next >= high) break;
    result.push_back(next);
  }
  result.push_back(high);
  return result;
}

/// Along which dimensions of the index an array's chunks follow each other, and how.
struct chunk_steps {
  struct one {
    along by;
    std::int64_t step = 0, count = 1;  ///< elements of a chunk; cells there will be at most
  };
  std::array<std::optional<one>, regions::rank_max> along_index{};

  std::int64_t cells() const {
    std::int64_t result = 1;
    for (const auto& each : along_index)
      if (each) result = regions::saturated_product(result, each->count);
    return result;
  }
};

/// None: nobody knows how the array's elements follow the index.
std::optional<chunk_steps> steps_of_chunks(const arrays::launch& of, std::size_t argument) {
  const auto found = std::ranges::find(of.accesses, argument, &arrays::access::argument);
  if (found == of.accesses.end() || !found->linear) return std::nullopt;
  const auto& part = of.arguments[argument].part;
  const auto& file = *of.arguments[argument].array->file;
  chunk_steps result;
  for (std::size_t d = 0; d < part.rank; ++d) {
    const auto by = follows(*found->linear, d, part);
    if (!by || result.along_index[by->index]) continue;
    const auto extent = of.indices.extent(by->index), step = file.chunk_extents()[d];
    const auto chunks = regions::saturated_product(extent, by->factor) / step + 2;
    result.along_index[by->index] = {*by, step, std::min(chunks, extent)};
  }
  return result;
}

/// Has cells of several chunks where there would be too many, along the last dimension first.
void make_fewer(chunk_steps& steps) {
  for (auto d = steps.along_index.size(); d-- > 0;) {
    auto& one = steps.along_index[d];
    while (one && one->count > 1 && steps.cells() > cuts_max) {
      one->step = regions::saturated_product(one->step, 2);
      one->count = one->count / 2 + 1;
      if (one->count <= 2) break;
    }
  }
}

/// Where indices are cut, so that cells touch a chunk each; none: they can't be.
std::optional<std::vector<std::vector<std::int64_t>>> chunk_cuts(const arrays::launch& of,
                                                                 std::size_t argument) {
  auto steps = steps_of_chunks(of, argument);
  if (!steps) return std::nullopt;
  make_fewer(*steps);
  std::vector<std::vector<std::int64_t>> result;
  bool any = false;
  for (std::size_t i = 0; i < of.indices.rank; ++i) {
    const auto low = of.indices.low[i], high = of.indices.high[i];
    const auto& one = steps->along_index[i];
    result.push_back(one ? positions(one->by, low, high, one->step) : std::vector{low, high});
    any = any || result.back().size() > 2;
  }
  if (!any) return std::nullopt;
  return result;
}

regions::grid grid_of(const std::vector<std::vector<std::int64_t>>& cuts) {
  std::vector<regions::cuts> dimensions;
  for (const auto& one : cuts) dimensions.push_back(regions::cuts::at(one));
  return regions::grid(std::move(dimensions));
}

/// Every second cut.
std::vector<std::int64_t> halved(const std::vector<std::int64_t>& cuts) {
  std::vector<std::int64_t> result;
  for (std::size_t i = 0; i + 1 < cuts.size(); i += 2) result.push_back(cuts[i]);
  result.push_back(cuts.back());
  return result;
}

/// Whether an item of these indices has enough to do, for all that it reduces into.
bool is_enough(const arrays::launch& of, const regions::box& cell) {
  std::int64_t states = 0;
  for (const auto a : arrays::reducing_arguments(of))
    states = regions::saturated_sum(states, touched(of, a, cell).volume());
  const auto least = regions::saturated_product(states, indices_a_state),
             most = regions::saturated_product(states, indices_a_state_of_many);
  const auto wanted = std::clamp(of.indices.volume() / many_items, least, most);
  return cell.volume() >= std::max(item_min, wanted);
}

/// Whether each bin gets some values of an item of these indices (bins.cpp). It says how values are
/// ordered, so it doesn't depend on memory.
bool fills_bins(const arrays::launch& of, const regions::box& cell) {
  return cell.volume() >= binned_indices_max(of);
}

/// Whether these indices are enough to be read and run at a time: states that they reduce into
/// needn't stay in caches until the next.
bool is_worth_reading(const arrays::launch& of, const regions::box& cell) {
  double read = 0, states = 0;
  for (std::size_t a = 0; a < of.arguments.size(); ++a)
    if (is_in_file(of.arguments[a])) read += bytes_touched(of, a, cell);
  for (const auto a : arrays::reducing_arguments(of)) states += bytes_touched(of, a, cell);
  return cell.volume() >= item_min && read >= read_a_state * states;
}

/// Joins neighbours, those along the last dimension first, until cells are enough.
void join(const arrays::launch& of, std::size_t argument,
          std::vector<std::vector<std::int64_t>>& cuts,
          bool (&enough)(const arrays::launch&, const regions::box&)) {
  for (auto d = cuts.size(); d-- > 0;) {
    while (cuts[d].size() > 2) {
      const auto cell = typical_cell(grid_of(cuts));
      if (enough(of, cell) || 2 * bytes_touched(of, argument, cell) > item_bytes_max) return;
      cuts[d] = halved(cuts[d]);
    }
  }
}

/// Arguments, as bits, of which no two items need the same chunk.
std::uint32_t read_once(const arrays::launch& of, const regions::grid& items) {
  std::uint32_t result = 0;
  for (std::size_t a = 0; a < std::min<std::size_t>(of.arguments.size(), 32); ++a) {
    const auto& file = of.arguments[a].array->file;
    const auto same = [&](const arrays::argument& one) { return one.array->file == file; };
    if (file == nullptr || std::ranges::count_if(of.arguments, same) > 1) continue;
    const auto& chunks = file->chunks();
    const auto in_chunks = [&](const regions::box& elements) { return chunks.cells(elements); };
    if (are_separate(of, a, items, in_chunks)) result |= 1U << a;
  }
  return result;
}

/// Whether items touch no more of arrays that may be on the disk than stays in memory: else it
/// costs less to load chunks again. Of what is reduced, sums would show how much memory there is.
bool fit(const arrays::launch& of, const cost::machine& m, const regions::grid& items) {
  const bool reduces =
      std::ranges::any_of(of.accesses, [](const arrays::access& one) { return one.reduces(); });
  if (reduces || !may_rest(of)) return true;
  const auto bytes = static_cast<double>(bytes_to_lease(of, typical_cell(items)));
  return bytes <= room_of_an_item(of, m);
}

/// Whether elements get their values in the order of the indices where cells are run one after
/// another: behind a dimension that they share and in which a cell has several indices, none that
/// they share is cut.
bool keep_order(const arrays::launch& of, const regions::grid& cells, const regions::grid& items) {
  const auto apart = all_apart_along(of);
  const auto cell = typical_cell(cells);
  bool within = false;  // are there several indices along a shared dimension before
  for (std::size_t d = 0; d < cell.rank; ++d) {
    if ((apart >> d & 1U) != 0) continue;
    if (within && cells.dimension(d) != items.dimension(d)) return false;
    within = within || cell.extent(d) > 1;
  }
  return true;
}

/// \param cuts  where chunks of the driving argument end
void find_items(stage& s, std::size_t driving, std::vector<std::vector<std::int64_t>> cuts,
                const batch_request& asked) {
  const auto& of = launch_of(*s.node);
  const bool in_bins = wants_bins(of, asked);
  if (!in_bins) join(of, driving, cuts, is_worth_reading);
  auto reads = grid_of(cuts);
  join(of, driving, cuts, in_bins ? fills_bins : is_enough);
  auto items = grid_of(cuts);
  if (!fit(of, asked.machine, items)) return;
  s.chunks = std::move(items);
  s.read_once = read_once(of, s.chunks);
  if (!in_bins && reads != s.chunks && keep_order(of, reads, s.chunks) &&
      read_once(of, reads) == s.read_once)
    s.reads = std::move(reads);
}

void tell(stage& s, std::size_t driving) {
  const auto& of = launch_of(*s.node);
  for (std::size_t a = 0; a < of.arguments.size(); ++a) {
    const auto& argument = of.arguments[a];
    if (!is_in_file(argument)) continue;
    const auto& file = *argument.array->file;
    const auto cells = file.chunks().cells(touched(of, a, of.indices));
    const bool once = a < 32 && (s.read_once >> a & 1U) != 0;
    s.notes.push_back(fmt::format("reads {} from {}: {} of {} chunks of {}{}", argument.name,
                                  file.description(), base::count_text(cells.volume()),
                                  base::count_text(file.chunks().size()),
                                  base::bytes_text(static_cast<double>(chunk_bytes(file))),
                                  once           ? ", each once"
                                  : a == driving ? ""
                                                 : ", some again where memory is short"));
  }
  if (s.chunks.rank() > 0)
    s.notes.push_back(fmt::format("items end where chunks of {} do: {} of {} indices",
                                  of.arguments[driving].name, base::count_text(s.chunks.size()),
                                  base::count_text(typical_cell(s.chunks).volume())));
  if (s.reads.rank() > 0)
    s.notes.push_back(fmt::format("items read, and run, {} indices at a time",
                                  base::count_text(typical_cell(s.reads).volume())));
}

}  // namespace

regions::box typical_cell(const regions::grid& cells) {
  regions::point at{};
  for (std::size_t d = 0; d < cells.rank(); ++d) {
    const auto& cuts = cells.dimension(d);
    const auto length = [&](std::int64_t n) { return cuts.position(n + 1) - cuts.position(n); };
    at[d] = cuts.size() > 1 && length(1) > length(0) ? 1 : 0;
  }
  return cells.cell(at);
}

bool are_separate(const arrays::launch& of, std::size_t argument, const regions::grid& cells,
                  const std::function<regions::box(const regions::box& elements)>& places) {
  const auto rank = of.arguments[argument].part.rank;
  for (std::size_t d = 0; d < cells.rank(); ++d) {
    const auto& cuts = cells.dimension(d);
    unsigned ascending = (1U << rank) - 1;
    std::optional<regions::box> before;
    for (std::int64_t n = 0; n < cuts.size() && ascending != 0; ++n) {
      auto slab = of.indices;
      slab.low[d] = cuts.position(n), slab.high[d] = cuts.position(n + 1);
      const auto elements = touched(of, argument, slab);
      if (elements.empty()) continue;
      const auto next = places(elements);
      for (std::size_t e = 0; before && e < rank; ++e)
        if (next.low[e] < before->high[e]) ascending &= ~(1U << e);
      before = next;
    }
    if (cuts.size() > 1 && ascending == 0) return false;
  }
  return true;
}

void find_chunks(plan& p, const batch_request& asked) {
  for (auto& s : p.stages) {
    const auto& of = launch_of(*s.node);
    if (of.indices.empty() || !reads_files(of)) continue;
    const auto drives = driving(of);
    if (!drives) continue;
    if (auto cuts = chunk_cuts(of, *drives)) find_items(s, *drives, std::move(*cuts), asked);
    tell(s, *drives);
  }
}

}  // namespace pappus::plan

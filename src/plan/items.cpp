// Cuts launches into items: where chunks of arrays in files end (chunks.cpp), else bands along the
// slowest dimension first, or blocks where elements may be on the disk and bands touch more of them
// than stays in memory, as those of a transposed matrix do.
#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "arrays/leases.h"
#include "pappus/detail/base/integers.h"
#include "plan/batch.h"
#include "regions/halve.h"

namespace pappus::plan {
namespace {

constexpr std::int64_t items_a_thread = 8;   // so that threads end together
constexpr double item_bytes = 512 << 10;     // of large launches; a core's cache takes two
constexpr std::int64_t items_max = 1 << 20;  // a done bit each
constexpr double one_item_seconds = 10e-6;   // what isn't worth a second thread

/// Items of a launch, as its time and its traffic would have it.
std::int64_t wanted(const cost::machine& m, const stage& s) {
  const auto volume = static_cast<std::int64_t>(s.expected_in);
  if (m.threads == 1 && s.bytes.read + s.bytes.written < item_bytes) return 1;
  if (s.how != cost::trust::at_least && s.seconds < one_item_seconds) return 1;
  // Leaves are taken one after another, so that few wait to be merged.
  if (!s.partial.empty()) return s.leaves.size();
  const auto by_bytes = static_cast<std::int64_t>((s.bytes.read + s.bytes.written) / item_bytes);
  const auto most = std::clamp<std::int64_t>(by_bytes, items_a_thread * m.threads, items_max);
  return std::clamp<std::int64_t>(volume, 1, most);
}

/// Indices along a dimension that stay together.
std::int64_t unit_along(const stage& s, std::size_t dimension) {
  const auto extent =
      std::max<std::int64_t>(arrays::launch_of(*s.node).indices.extent(dimension), 1);
  if (s.leaves.rank() > 0) {
    const auto& leaves = s.leaves.dimension(dimension);
    return leaves.size() > 1 ? leaves.position(1) - leaves.low() : extent;
  }
  return (s.cut_along >> dimension & 1U) != 0
             ? strip(arrays::launch_of(*s.node).indices, s.cut_along, dimension)
             : extent;
}

/// A block that touches no more than there is room for; none where no size of it does.
std::optional<regions::box> block(const stage& s, double room) {
  const auto& of = arrays::launch_of(*s.node);
  const auto bytes_of = [&](const regions::box& part) {
    return static_cast<double>(arrays::bytes_to_lease(of, part));
  };
  const auto together = [&](std::size_t d) { return regions::grain{.unit = unit_along(s, d)}; };
  auto item = of.indices;
  while (bytes_of(item) > room) {
    const auto half = regions::best_half(item, s.cut_along, together, bytes_of);
    if (!half || of.indices.volume() / half->volume() > items_max) return std::nullopt;
    item = *half;
  }
  return item;
}

/// Each byte comes from the disk about once for each row of blocks; with bands that touch too much,
/// for each lease, which is a small part of memory.
void cut_blocks(stage& s, const cost::machine& m) {
  const auto& of = arrays::launch_of(*s.node);
  if (s.leaves.rank() > 0 || of.indices.empty() || !arrays::may_rest(of)) return;
  const auto room = room_of_an_item(of, m);
  if (static_cast<double>(arrays::bytes_to_lease(of, s.items.cell(0))) <= room) return;
  const auto one = block(s, room);
  if (!one) return;
  std::vector<regions::cuts> dimensions;
  for (std::size_t d = 0; d < one->rank; ++d)
    dimensions.push_back(
        regions::cuts::even(of.indices.low[d], of.indices.high[d], one->extent(d)));
  s.items = regions::grid(std::move(dimensions));
  s.in_blocks = true;
}

}  // namespace

double room_of_an_item(const arrays::launch& of, const cost::machine& m) {
  const auto share = 0.75 / (1 + m.threads) * static_cast<double>(m.host_memory);
  return std::max(share, static_cast<double>(arrays::lease_max(of)));
}

void cut_items(plan& p, const batch_request& asked) {
  for (auto& s : p.stages) {
    if (s.chunks.rank() > 0) {
      s.items = s.chunks;
      s.in_blocks = true;
      continue;
    }
    const auto& indices = arrays::launch_of(*s.node).indices;
    auto left = asked.item_indices > 0
                    ? std::max<std::int64_t>(1, indices.volume() / asked.item_indices)
                    : wanted(asked.machine, s);
    std::vector<regions::cuts> dimensions;
    for (std::size_t d = 0; d < indices.rank; ++d) {
      const auto unit = unit_along(s, d);
      const auto units = std::max<std::int64_t>(detail::ceil_div(indices.extent(d), unit), 1);
      const auto step = detail::ceil_div(units, std::clamp<std::int64_t>(left, 1, units));
      dimensions.push_back(regions::cuts::even(indices.low[d], indices.high[d], unit * step));
      left /= std::max<std::int64_t>(detail::ceil_div(units, step), 1);
    }
    s.items = regions::grid(std::move(dimensions));
    if (asked.item_indices == 0) cut_blocks(s, asked.machine);
  }
}

}  // namespace pappus::plan

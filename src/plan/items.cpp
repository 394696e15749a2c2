// Cuts launches into items: bands along the slowest dimension first.
#include <algorithm>
#include <cmath>

#include "pappus/detail/base/integers.h"
#include "plan/batch.h"

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

}  // namespace

void cut_items(plan& p, const batch_request& asked) {
  for (auto& s : p.stages) {
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
  }
}

}  // namespace pappus::plan

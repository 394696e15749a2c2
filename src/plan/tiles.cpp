// Lets an item pass over its indices tile by tile, where what they read again would otherwise have
// left the cache by then: loop tiling (Wolf and Lam, "A data locality optimizing algorithm", PLDI
// 1991).
//
// A matrix product over (i, k, j) reads all of b for each i. With tiles that touch no more bytes
// than half of a core's cache, it reads each tile of b once for all i of an item. Tiles are halved
// from the item, always along the dimension that leaves the fewest bytes for each index. The order
// of values that are added to an element must stay that of the indices, so of the dimensions along
// which elements are shared only the slowest may be cut.
#include "plan/batch.h"
#include "regions/halve.h"

namespace pappus::plan {
namespace {

using arrays::launch_of;

constexpr double reuse_min = 8;          // accesses to each byte that an item touches
constexpr std::int64_t last_min = 1024;  // indices of a tile along the last dimension
constexpr std::int64_t other_min = 8;    // and along the others: each tile is a call

/// All bytes that are asked for, if each index asks once by each access.
double bytes_asked_for(const arrays::launch& of, const regions::box& indices) {
  double each = 0;
  for (const auto& one : of.accesses)
    each += static_cast<double>(of.arguments[one.argument].array->element.size);
  return each * static_cast<double>(indices.volume());
}

bool is_known(const arrays::launch& of) {
  for (const auto& one : of.accesses)
    if (!one.linear) return false;
  return of.known != arrays::launch::knowledge::assumed;
}

}  // namespace

unsigned dimensions_to_cut(const stage& s) {
  const auto& indices = launch_of(*s.node).indices;
  // A row's lanes are added up at its end.
  if (s.lanes != 0) return s.cut_along & ~(1U << (indices.rank - 1));
  for (std::size_t d = 0; d < indices.rank; ++d)
    if ((s.cut_along >> d & 1U) == 0 && indices.extent(d) > 1) return s.cut_along | 1U << d;
  return s.cut_along;
}

void cut_tiles(plan& p, const batch_request& asked) {
  const auto room = 0.5 * static_cast<double>(asked.machine.cache_bytes);
  for (auto& s : p.stages) {
    const auto& of = launch_of(*s.node);
    if (s.bytes.read + s.bytes.written <= room || of.indices.rank < 2 || !s.partial.empty() ||
        of.indices.empty() || !is_known(of))
      continue;
    auto tile = typical_cell(s.items);
    const auto bytes = arrays::bytes_touched(of, tile);
    if (bytes <= room || bytes_asked_for(of, tile) < reuse_min * bytes) continue;
    const auto least = [&](std::size_t d) {
      return regions::grain{.least = d + 1 == tile.rank ? last_min : other_min};
    };
    const auto bytes_of = [&](const regions::box& part) { return arrays::bytes_touched(of, part); };
    const auto dimensions = dimensions_to_cut(s);
    while (bytes_of(tile) > room) {
      const auto half = regions::best_half(tile, dimensions, least, bytes_of);
      if (!half) break;
      tile = *half;
    }
    for (std::size_t d = 0; d < tile.rank; ++d) s.tile[d] = tile.extent(d);
  }
}

}  // namespace pappus::plan

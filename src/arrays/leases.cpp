#include "arrays/leases.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "pappus/detail/base/integers.h"
#include "regions/halve.h"
#include "regions/parts.h"

namespace pappus::arrays {
namespace {

/// Bytes from one element to its neighbour along a dimension.
std::int64_t pitch(const image& of, std::size_t dimension) {
  auto bytes = static_cast<std::int64_t>(of.element.size);
  for (auto d = dimension + 1; d < of.all.rank; ++d) bytes *= of.all.high[d];
  return bytes;
}

/// Calls f(begin, end, whole) for bytes that elements lie in. Not whole: so are others between
/// them, which are as near as the parts that come and go are long.
template <typename F>
void each_stretch(const image& of, const regions::box& where, std::size_t near, F&& f) {
  if (where.empty()) return;
  std::size_t outer = 0;  // dimensions along which stretches lie apart
  for (std::size_t d = 0; d + 1 < where.rank; ++d)
    if (where.extent(d) > 1 && pitch(of, d) > static_cast<std::int64_t>(near)) outer = d + 1;
  bool whole = true;
  for (auto d = outer + 1; d < where.rank; ++d) whole = whole && where.extent(d) == of.all.high[d];
  regions::point together{};  // 0: all of a dimension
  std::fill_n(together.begin(), outer, 1);
  regions::each_part(where, together, [&](const regions::box& part) {
    auto last = part.high;
    for (std::size_t d = 0; d < part.rank; ++d) --last[d];
    f(static_cast<std::size_t>(number_in(of.all, part.low)) * of.element.size,
      static_cast<std::size_t>(number_in(of.all, last) + 1) * of.element.size, whole);
  });
}

void add(std::vector<graph::leased_bytes>& to, const image& of, const storage& elements,
         const regions::box& where, const element_use& use) {
  each_stretch(
      of, where, elements.source.pages->section_bytes(),
      [&](std::size_t begin, std::size_t end, bool whole) {
        to.push_back({elements.pageable.get(), begin, end, use.reads || !whole, use.writes});
      });
}

/// Whether elements may be on the disk; those of launches that aren't noted yet aren't anywhere.
bool rests(const argument& one) {
  return one.elements != nullptr && one.elements->pageable != nullptr;
}

/// Calls f(access, argument) for those whose elements may be on the disk.
template <typename F>
void each_access(const launch& by, F&& f) {
  for (const auto& one : by.accesses)
    if (const auto& argument = by.arguments[one.argument]; rests(argument)) f(one, argument);
}

/// Bytes of the sections that elements lie in.
std::size_t bytes_of_sections(const image& of, const storage& elements, const regions::box& where) {
  const auto section = elements.source.pages->section_bytes();
  std::size_t bytes = 0, counted = 0;  // counted: up to there
  each_stretch(of, where, section, [&](std::size_t begin, std::size_t end, bool) {
    const auto first = std::max(begin - begin % section, counted);
    counted = std::max(detail::round_up(end, section), counted);
    bytes += counted - std::min(first, counted);
  });
  return bytes;
}

/// The first half along the dimension that leaves the fewest bytes; none, where no half leaves
/// fewer than `bytes`. Cuts along the last dimension are where vectors of any elements begin, or at
/// least those of large ones: each index may have a section of its own.
std::optional<regions::box> fitting_half(
    const regions::box& indices, unsigned dimensions, std::size_t bytes,
    const std::function<std::size_t(const regions::box& part)>& bytes_of) {
  constexpr std::int64_t vector = 256, short_vector = 16;
  const auto vectors = [&](std::size_t d) {
    if (d + 1 < indices.rank) return regions::grain{};
    return regions::grain{.unit = indices.extent(d) > vector ? vector : short_vector};
  };
  const auto if_fewer = [&](const regions::box& part) {
    const auto of_part = bytes_of(part);
    return of_part < bytes ? static_cast<double>(of_part) : HUGE_VAL;
  };
  return regions::best_half(indices, dimensions, vectors, if_fewer);
}

}  // namespace

bool may_rest(const launch& of) { return std::ranges::any_of(of.arguments, rests); }

std::size_t lease_max(const launch& of) {
  std::size_t most = 0;
  for (const auto& one : of.arguments)
    if (rests(one)) most = one.elements->source.pages->lease_max();
  return most;
}

std::size_t bytes_to_lease(const launch& by, const regions::box& indices) {
  std::size_t bytes = 0;
  for (std::size_t a = 0; a < by.arguments.size(); ++a) {
    const auto& argument = by.arguments[a];
    if (!rests(argument)) continue;
    bytes += bytes_of_sections(*argument.array, *argument.elements, touched(by, a, indices));
  }
  return bytes;
}

graph::lease_ptr lease_touched(const launch& by, const regions::box& indices,
                               std::span<const std::size_t> without) {
  std::vector<graph::leased_bytes> wanted;
  graph::pageable_store* from = nullptr;
  each_access(by, [&](const access& one, const argument& argument) {
    if (std::ranges::find(without, one.argument) != without.end()) return;
    from = argument.elements->source.pages.get();
    add(wanted, *argument.array, *argument.elements, touched(by, one, indices),
        {.reads = !overwrites(by, one), .writes = one.writes()});
  });
  if (wanted.empty()) return nullptr;
  return from->take(wanted, graph::lease_time::brief, "elements of arrays");
}

void each_fitting(const regions::box& indices, unsigned dimensions, std::size_t most,
                  const std::function<std::size_t(const regions::box& part)>& bytes_of,
                  const std::function<void(const regions::box& part)>& f) {
  const auto bytes = bytes_of(indices);
  if (bytes <= most) return f(indices);
  const auto first = fitting_half(indices, dimensions, bytes, bytes_of);
  if (!first) return f(indices);
  auto second = indices;
  for (std::size_t d = 0; d < indices.rank; ++d)
    if (first->high[d] != indices.high[d]) second.low[d] = first->high[d];
  each_fitting(*first, dimensions, most, bytes_of, f);
  each_fitting(second, dimensions, most, bytes_of, f);
}

void each_leasable(const launch& by, const regions::box& indices, unsigned dimensions,
                   const std::function<void(const regions::box& part)>& f) {
  if (!may_rest(by)) return f(indices);
  each_fitting(
      indices, dimensions, lease_max(by),
      [&](const regions::box& part) { return bytes_to_lease(by, part); }, f);
}

void each_leased(const image& of, const storage& elements, const regions::box& where,
                 const std::function<void(const regions::box& part)>& f) {
  if (elements.pageable == nullptr || where.empty()) return f(where);
  std::size_t d = 0;
  while (d < where.rank && where.extent(d) == 1) ++d;
  if (d < where.rank &&
      bytes_of_sections(of, elements, where) > elements.source.pages->lease_max()) {
    auto first = where, second = where;
    first.high[d] = second.low[d] = where.low[d] + where.extent(d) / 2;
    each_leased(of, elements, first, f);
    return each_leased(of, elements, second, f);
  }
  const auto lease =
      lease_elements(of, elements, where, {}, graph::lease_time::brief, "elements of an array");
  f(where);
}

graph::lease_ptr lease_elements(const image& of, const storage& elements, const regions::box& where,
                                const element_use& use, graph::lease_time lasts,
                                std::string_view owner) {
  if (elements.pageable == nullptr || where.empty()) return nullptr;
  std::vector<graph::leased_bytes> wanted;
  add(wanted, of, elements, where, use);
  return elements.source.pages->take(wanted, lasts, owner);
}

graph::lease_ptr lease_numbers(const image& of, const storage& elements, std::int64_t first,
                               std::int64_t end) {
  if (elements.pageable == nullptr || first >= end) return nullptr;
  const std::vector<graph::leased_bytes> wanted{{elements.pageable.get(),
                                                 static_cast<std::size_t>(first) * of.element.size,
                                                 static_cast<std::size_t>(end) * of.element.size}};
  return elements.source.pages->take(wanted, graph::lease_time::brief, "elements of an array");
}

std::shared_ptr<const void> kept_in_memory(const image& of, storage_ptr elements,
                                           const regions::box& where, const element_use& use,
                                           std::string_view owner) {
  struct both {
    storage_ptr elements;  // goes last
    graph::lease_ptr lease;
  };
  auto lease = lease_elements(of, *elements, where, use, graph::lease_time::open, owner);
  return std::make_shared<both>(std::move(elements), std::move(lease));
}

}  // namespace pappus::arrays

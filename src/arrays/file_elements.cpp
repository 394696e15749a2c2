#include "arrays/file_elements.h"

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include "arrays/leases.h"
#include "regions/parts.h"

namespace pappus::arrays {
namespace {

constexpr std::int64_t announced_max = 64;  // chunks of an argument; the disk has enough to do then

/// Where the element of index 0 of a view lies, be it in memory or not.
detail::view_place place_in(const argument& of, const graph::wanted_elements& found) {
  detail::view_place place{const_cast<std::byte*>(found.first), {}, found.strides};
  std::int64_t elements = 0;
  for (std::size_t d = 0; d < of.part.rank; ++d) {
    place.extents[d] = std::max<std::int64_t>(of.part.high[d] - of.part.low[d], 0);
    elements += (found.elements.bounds.low[d] - of.part.low[d]) * found.strides[d];
  }
  place.elements -= elements * static_cast<std::int64_t>(of.array->element.size);
  return place;
}

/// How far apart the values of a function over indices are, at least; 1 where it has one alone.
std::int64_t step_of(const regions::affine& function, const regions::box& indices) {
  std::int64_t step = 0;
  for (std::size_t d = 0; d < indices.rank; ++d)
    if (indices.extent(d) > 1) step = std::gcd(step, function.factors[d]);
  return std::max<std::int64_t>(step, 1);
}

/// Those that indices touch of an argument, without the rows that they step over.
regions::hyperslab rows_touched(const launch& by, std::size_t argument,
                                const regions::box& indices) {
  regions::hyperslab result{touched(by, argument, indices)};
  const auto touches = [&](const access& one) { return one.argument == argument; };
  if (result.bounds.empty() || std::ranges::count_if(by.accesses, touches) != 1) return result;
  const auto& linear = std::ranges::find_if(by.accesses, touches)->linear;
  if (!linear) return result;
  const auto& part = by.arguments[argument].part;
  for (std::size_t d = 0; d + 1 < part.rank; ++d) {
    const auto all = regions::over(linear->low[d], indices);
    // Those at the ends are touched, unless they lie beyond the array's.
    if (linear->low[d] == linear->high[d] && all.low == result.bounds.low[d] - part.low[d] &&
        all.high == result.bounds.high[d] - 1 - part.low[d])
      result.steps[d] = step_of(linear->low[d], indices);
  }
  return result;
}

graph::wanted_elements wanted_by(const launch& by, std::size_t argument,
                                 const regions::box& indices, const file_reads& how) {
  return {.of = by.arguments[argument].array->file,
          .elements = how.whole_boxes ? regions::hyperslab{touched(by, argument, indices)}
                                      : rows_touched(by, argument, indices),
          .once = argument < 32 && (how.once >> argument & 1U) != 0};
}

}  // namespace

bool reads_files(const launch& of) { return std::ranges::any_of(of.arguments, is_in_file); }

bool is_read_as_a_whole(const launch& of, std::size_t argument) {
  constexpr std::int64_t parts = 64, again_min = 8;
  const auto& one = of.arguments[argument];
  if (!is_in_file(one) || of.indices.volume() <= 1) return false;
  const auto writes = [&](const access& each) {
    return each.argument == argument && each.writes();  // which is refused
  };
  if (std::ranges::any_of(of.accesses, writes)) return false;
  const auto all = touched(of, argument, of.indices);
  if (one.array->file->chunks().cells(all).volume() <= 1) return false;
  auto few = of.indices;
  std::size_t d = 0;
  while (few.extent(d) <= 1) ++d;
  if (few.extent(d) >= again_min)
    few.high[d] = few.low[d] + std::max<std::int64_t>(few.extent(d) / parts, 1);
  else  // to read a few times is no worse than to copy
    for (d = 0; d < few.rank; ++d) few.high[d] = few.low[d] + 1;
  return touched(of, argument, few).volume() > all.volume() / 2;
}

std::size_t bytes_to_copy(const launch& by, const regions::box& indices) {
  std::size_t bytes = 0;
  for (std::size_t a = 0; a < by.arguments.size(); ++a) {
    const auto& argument = by.arguments[a];
    if (!is_in_file(argument)) continue;
    const auto elements = touched(by, a, indices);
    if (argument.array->file->chunks().cells(elements).volume() <= 1) continue;
    bytes += static_cast<std::size_t>(elements.volume()) * argument.array->element.size;
  }
  return bytes;
}

void read_elements::take() {
  std::vector<graph::wanted_elements> wanted;
  std::vector<std::size_t> whose;
  for (std::size_t a = 0; a < by_.arguments.size(); ++a) {
    if (!is_in_file(by_.arguments[a])) continue;
    auto one = wanted_by(by_, a, indices_, how_);
    if (one.elements.bounds.empty()) continue;
    wanted.push_back(std::move(one));
    whose.push_back(a);
  }
  if (wanted.empty()) return;
  lease_ = by_.arguments[whose.front()].elements->source.chunks->take(wanted, text(by_));
  for (std::size_t i = 0; i < wanted.size(); ++i)
    places_[whose[i]] = place_in(by_.arguments[whose[i]], wanted[i]);
}

void announce_touched(const launch& by, const regions::box& indices, const file_reads& how) {
  for (std::size_t a = 0; a < by.arguments.size(); ++a) {
    if (!is_in_file(by.arguments[a])) continue;
    const auto& file = *by.arguments[a].array->file;
    const auto wanted = wanted_by(by, a, indices, how);
    if (wanted.elements.bounds.empty()) continue;
    if (wanted.once && file.reads_alone(wanted.elements)) {
      file.announce_alone(wanted.elements);
      continue;
    }
    const auto cells = file.chunks().cells(wanted.elements.bounds);
    if (cells.volume() <= announced_max)
      regions::each_place(cells, [&](const regions::point& at) {
        if (regions::has_place_in(wanted.elements, file.chunks().cell(at))) file.announce(at);
      });
  }
}

void each_readable(const launch& by, const regions::box& indices, unsigned dimensions,
                   const std::function<void(const regions::box& part)>& f) {
  std::size_t most = 0;
  for (const auto& one : by.arguments)
    if (is_in_file(one)) most = one.elements->source.chunks->lease_max();
  each_fitting(
      indices, dimensions, most, [&](const regions::box& part) { return bytes_to_copy(by, part); },
      f);
}

}  // namespace pappus::arrays

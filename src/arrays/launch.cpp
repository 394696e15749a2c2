#include "arrays/launch.h"

#include <algorithm>

#include <fmt/format.h>

#include "graph/operator_entry.h"
#include "regions/evaluate.h"
#include "regions/inverse.h"
#include "regions/parts.h"

namespace pappus::arrays {
namespace {

/// Launches are run by themselves (run/batch.h), in batches.
class launch_entry final : public graph::operator_entry {
 public:
  graph::bound output_rows(const graph::node&, const graph::bound&) const override {
    return graph::bound::exactly(0);
  }
  graph::traffic bytes(const graph::node& n, double, double) const override {
    const auto& all = launch_of(n);
    graph::traffic result;
    for (std::size_t a = 0; a < all.arguments.size(); ++a) {
      regions::region read(all.arguments[a].part.rank), written = read;
      for (const auto& one : all.accesses) {
        if (one.argument != a) continue;
        const auto elements = touched(all, one, all.indices);
        if (one.reads()) read = read | elements;
        if (one.writes()) written = written | elements;
      }
      const auto size = static_cast<double>(all.arguments[a].array->element.size);
      result.read += static_cast<double>(read.volume()) * size;
      result.written += static_cast<double>(written.volume()) * size;
    }
    return result;
  }
};

/// Of a linear access, without evaluating formulas.
regions::box hull(const regions::linear_access& of, const regions::box& indices,
                  const regions::box& array) {
  regions::box result(array.rank);
  for (std::size_t d = 0; d < array.rank; ++d) {
    const auto first = regions::over(of.low[d], indices), last = regions::over(of.high[d], indices);
    if (first.low > last.high) return regions::box(array.rank);
    result.low[d] = std::max(array.low[d], first.low);
    result.high[d] = last.high < array.high[d] ? last.high + 1 : array.high[d];
  }
  return result.empty() ? regions::box(array.rank) : result;
}

/// In the array's numbers, whichever part of it the argument is; none: 64 bits can't hold them.
std::optional<regions::linear_access> in_array(const launch& by, const access& one) {
  if (!one.linear) return std::nullopt;
  auto result = *one.linear;
  const auto& part = by.arguments[one.argument].part;
  for (std::size_t d = 0; d < part.rank; ++d)
    for (auto* bound : {&result.low[d], &result.high[d]})
      if (__builtin_add_overflow(bound->constant, part.low[d], &bound->constant))
        return std::nullopt;
  return result;
}

}  // namespace

const graph::operator_entry& launch_operator() {
  static const launch_entry entry;
  return entry;
}

std::vector<std::size_t> reducing_arguments(const launch& by) {
  std::vector<std::size_t> result;
  for (std::size_t a = 0; a < by.arguments.size(); ++a)
    if (by.arguments[a].view == detail::view_access::reduce) result.push_back(a);
  return result;
}

regions::box touched(const launch& by, const access& one, const regions::box& indices) {
  const auto& part = by.arguments[one.argument].part;
  if (indices.empty()) return regions::box(part.rank);
  const auto elements = relative(part, part);
  return absolute(one.linear ? hull(*one.linear, indices, elements)
                             : regions::touched(one.formulas, indices, {}, elements).elements,
                  part);
}

regions::box touched(const launch& by, std::size_t argument, const regions::box& indices) {
  regions::box result(by.arguments[argument].part.rank);
  for (const auto& one : by.accesses)
    if (one.argument == argument) result = regions::hull(result, touched(by, one, indices));
  return result;
}

double bytes_touched(const launch& by, std::size_t argument, const regions::box& indices) {
  return static_cast<double>(touched(by, argument, indices).volume()) *
         static_cast<double>(by.arguments[argument].array->element.size);
}

double bytes_touched(const launch& by, const regions::box& indices) {
  double bytes = 0;
  for (std::size_t a = 0; a < by.arguments.size(); ++a) bytes += bytes_touched(by, a, indices);
  return bytes;
}

regions::box touching(const launch& by, const access& one, const regions::box& elements) {
  const auto& part = by.arguments[one.argument].part;
  const auto inside = relative(regions::intersect(elements, part), part);
  if (inside.empty()) return regions::box(by.indices.rank);
  if (one.linear) return regions::touching(*one.linear, inside, by.indices);
  return regions::touching(one.formulas, inside, by.indices, {}, relative(part, part));
}

regions::spread spread_of(const launch& by, const access& one) {
  if (by.indices.volume() <= 1) return regions::spread::tiles;
  if (one.linear)
    if (const auto is = regions::spread_of(*one.linear, by.indices); is != regions::spread::mixed)
      return is;
  const auto& part = by.arguments[one.argument].part;
  return regions::spread_of(one.formulas, by.indices, {}, relative(part, part));
}

unsigned dimensions_apart(const launch& by, std::size_t argument) {
  const access* only = nullptr;
  for (const auto& one : by.accesses) {
    if (one.argument != argument) continue;
    if (only != nullptr) return 0;  // what one touches at an index, the other may at another
    only = &one;
  }
  if (only == nullptr) return ~0U;
  return only->linear ? regions::dimensions_apart(*only->linear, by.indices) : 0;
}

std::array<regions::interval, regions::rank_max> distances(const launch& before,
                                                           const access& theirs,
                                                           const launch& later, const access& own) {
  std::array<regions::interval, regions::rank_max> result;
  result.fill(regions::interval::everything());
  const auto first = in_array(before, theirs), second = in_array(later, own);
  if (!first || !second) return result;
  result = regions::distances(*first, *second);
  // Impossible in one dimension is impossible.
  if (std::ranges::any_of(result, &regions::interval::empty))
    result.fill(regions::interval::nothing());
  return result;
}

bool overwrites(const launch& by, const access& one) {
  return one.formulas.mode == regions::access_mode::write && one.linear &&
         spread_of(by, one) == regions::spread::tiles;
}

std::string index_text(const launch& of, std::int64_t number) {
  const auto at = regions::place_in(of.indices, number);
  return fmt::format("[{}]", fmt::join(at.begin(), at.begin() + of.indices.rank, ","));
}

std::string text(const launch& of) {
  return of.place.empty() ? of.function_type : fmt::format("for_each at {}", of.place);
}

}  // namespace pappus::arrays

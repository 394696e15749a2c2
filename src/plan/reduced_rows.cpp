// Which launches keep the states that they reduce into in registers while rows run
// (detail/loops/reduced_rows.h), and along which dimensions of the index.
//
// It needs one access that reduces, or several of the same elements of their arrays, of one element
// an index, and formulas that tell which. Along rows it goes on from element to element, a step of
// several indices each, as view[(i-a)/8,(j-b)/8] does along j; or each index has the next element,
// as mean[j] does. Rows share their elements along another dimension: mean[j] whatever i is, the
// view for the eight rows of a step. Elements don't get their values in another order, but where
// the states commute.
#include <algorithm>
#include <cstddef>
#include <optional>

#include "plan/batch.h"
#include "regions/steps.h"

namespace pappus::plan {
namespace {

using arrays::launch_of;

const arrays::image* array_of(const arrays::launch& of, std::size_t access) {
  return of.arguments[of.accesses[access].argument].array.get();
}

/// The first access that reduces. None: there isn't one for each argument that does, or others
/// reduce into other elements.
std::optional<std::size_t> first_reducing(const arrays::launch& of) {
  std::optional<std::size_t> first;
  std::size_t count = 0;
  for (std::size_t n = 0; n < of.accesses.size(); ++n) {
    const auto& one = of.accesses[n];
    if (!one.reduces()) continue;
    ++count;
    if (!first) first = n;
    const auto& as = of.accesses[*first];
    for (std::size_t earlier = *first; earlier < n; ++earlier)
      if (of.accesses[earlier].reduces() && array_of(of, earlier) == array_of(of, n))
        return std::nullopt;
    if (n != *first && (!one.linear || one.linear != as.linear)) return std::nullopt;
  }
  if (count != arrays::reducing_arguments(of).size()) return std::nullopt;
  return first;
}

/// Whether it writes besides: then its indices stay in their order.
bool writes(const arrays::launch& of) {
  return std::ranges::any_of(
      of.accesses, [](const arrays::access& one) { return one.writes() && !one.reduces(); });
}

bool is_same_along(const regions::linear_access& by, std::size_t dimension) {
  for (std::size_t d = 0; d < by.rank; ++d)
    if (by.low[d].factors[dimension] != 0) return false;
  return true;
}

/// Rows in steps that are run alone, or together where that changes no bits.
reduced_rows in_steps(const arrays::launch& of, std::size_t access, const regions::steps& steps) {
  reduced_rows result{.access = access, .steps = steps};
  const auto& reduced = of.accesses[access];
  const auto last = of.indices.rank - 1;
  if (last == 0 || writes(of) || !of.arguments[reduced.argument].reduction.commutative)
    return result;
  const auto above = last - 1;
  result.along_steps = regions::steps_along(reduced.formulas, above, of.indices, {});
  if (result.along_steps || !regions::depends_on(reduced.formulas, above)) result.along = above;
  return result;
}

/// Rows of which each index has an element of its own, the next one in memory. The dimension they
/// share it in is the last such: along those before, values come to elements later. Rows of a few
/// indices are run as one with their neighbours, where these follow in memory.
/// \param apart  dimensions, as bits, of which no two values reduce into the same element
std::optional<reduced_rows> of_own_elements(const arrays::launch& of, std::size_t access,
                                            unsigned apart) {
  constexpr std::int64_t rows_min = 4, columns_min = 5;  // fewer make no vectors
  const auto& by = of.accesses[access].linear;
  if (!by || by->rank == 0 || writes(of)) return std::nullopt;
  const auto last = of.indices.rank - 1;
  const auto columns = of.indices.extent(last);
  const bool narrow = columns < columns_min;
  if (narrow && (last < 2 || columns > detail::narrow_rows_max || columns < 2)) return std::nullopt;
  for (std::size_t d = 0; d < by->rank; ++d)
    if (by->low[d] != by->high[d] || by->low[d].factors[last] != (d + 1 == by->rank ? 1 : 0))
      return std::nullopt;
  // Of indices that differ behind the shared dimension, each has an element of its own: else values
  // would come to elements in another order.
  for (auto d = last; d-- > 0 && (apart >> (d + 1) & 1U) != 0;)
    if (is_same_along(*by, d) && of.indices.extent(d) >= rows_min && (!narrow || d + 2 <= last))
      return reduced_rows{.access = access, .along = d, .narrow = narrow};
  return std::nullopt;
}

}  // namespace

void find_registers(plan& p, const batch_request&) {
  for (auto& s : p.stages) {
    const auto& of = launch_of(*s.node);
    if (!of.takes_steps || of.indices.empty() || s.lanes != 0 || s.bins) continue;
    const auto access = first_reducing(of);
    if (!access) continue;
    const auto last = of.indices.rank - 1;
    const bool once = arrays::reducing_arguments(of).size() == 1;
    const auto steps =
        once ? regions::steps_along(of.accesses[*access].formulas, last, of.indices, {})
             : std::nullopt;
    s.in_registers =
        steps ? in_steps(of, *access, *steps) : of_own_elements(of, *access, s.cut_along);
  }
}

}  // namespace pappus::plan

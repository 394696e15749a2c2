#include "regions/steps.h"

#include <algorithm>

#include "regions/affine.h"
#include "regions/evaluate.h"
#include "regions/interval.h"

namespace pappus::regions {
namespace {

bool mentions(const expression& formula, std::size_t dimension) {
  return std::ranges::any_of(formula.terms(), [&](const term& one) {
    return one.what == operation::index && one.value == static_cast<std::int64_t>(dimension);
  });
}

/// What a quotient or shift divides by; 0: by nothing that is known.
std::int64_t divisor(operation what, const interval& by) {
  if (!by.single() || !by.bounded()) return 0;
  if (what == operation::divide) return std::max<std::int64_t>(by.low, 0);
  return by.low >= 0 && by.low < 62 ? std::int64_t{1} << by.low : 0;
}

/// (index[dimension] + c) / length.
std::optional<steps> of_quotient(const expression& formula, std::size_t dimension,
                                 const box& indices, std::span<const std::int64_t> symbols) {
  const auto what = formula.terms().front().what;
  if (what != operation::divide && what != operation::shift_right) return std::nullopt;
  const auto [over_it, by] = formula.operands();
  const auto length = divisor(what, over(by, indices, symbols));
  const auto numerator = linear(over_it, indices, symbols);
  if (length < 2 || !numerator || numerator->factors[dimension] != 1 ||
      over(*numerator, indices).low < 0)
    return std::nullopt;
  for (std::size_t d = 0; d < rank_max; ++d)
    if (d != dimension && numerator->factors[d] != 0) return std::nullopt;
  const auto rest = numerator->constant % length;
  return steps{0, length, rest <= 0 ? -rest : length - rest};
}

}  // namespace

std::optional<steps> steps_along(const access& by, std::size_t dimension, const box& indices,
                                 std::span<const std::int64_t> symbols) {
  if (by.slices.empty() || indices.empty()) return std::nullopt;
  std::optional<steps> result;
  for (std::size_t d = 0; d < by.slices.size(); ++d) {
    const auto& [low, high] = by.slices[d];
    if (!low || !high || *low != *high) return std::nullopt;
    if (!mentions(*low, dimension)) continue;
    if (result) return std::nullopt;
    result = of_quotient(*low, dimension, indices, symbols);
    if (!result) return std::nullopt;
    result->array_dimension = d;
  }
  return result;
}

bool depends_on(const access& by, std::size_t dimension) {
  const auto in = [&](const std::optional<expression>& bound) {
    return bound && mentions(*bound, dimension);
  };
  return std::ranges::any_of(by.slices,
                             [&](const slice& one) { return in(one.low) || in(one.high); });
}

std::optional<point> only_element(const access& by, const box& indices,
                                  std::span<const std::int64_t> symbols) {
  point result{};
  for (std::size_t d = 0; d < by.slices.size(); ++d) {
    const auto& [low, high] = by.slices[d];
    if (!low || !high || *low != *high) return std::nullopt;
    const auto value = over(*low, indices, symbols);
    if (!value.single() || !value.bounded()) return std::nullopt;
    result[d] = value.low;
  }
  return result;
}

}  // namespace pappus::regions

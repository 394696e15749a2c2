#include "regions/linear_access.h"

#include <algorithm>

#include "regions/evaluate.h"

namespace pappus::regions {
namespace {

wide floor_div(wide a, wide b) {
  const wide quotient = a / b;
  return quotient * b != a && (a < 0) != (b < 0) ? quotient - 1 : quotient;
}

wide ceil_div(wide a, wide b) { return -floor_div(-a, b); }

std::int64_t clamped(wide value) {
  return static_cast<std::int64_t>(std::clamp(value, wide{interval::least}, wide{interval::most}));
}

/// Variables that appear, as bits; those with one value don't.
unsigned variables_in(const affine& function, const box& indices) {
  unsigned found = 0;
  for (std::size_t d = 0; d < indices.rank; ++d)
    if (function.factors[d] != 0 && indices.extent(d) > 1) found |= 1U << d;
  return found;
}

/// Elements of a slice, if they are as many for all indices.
std::optional<wide> length_of(const affine& low, const affine& high, const box& indices) {
  wide length = wide{high.constant} - low.constant + 1;
  for (std::size_t d = 0; d < indices.rank; ++d) {
    if (low.factors[d] == high.factors[d]) continue;
    if (indices.extent(d) > 1) return std::nullopt;
    wide more = wide{high.factors[d]} - low.factors[d];
    if (__builtin_mul_overflow(more, wide{indices.low[d]}, &more) ||
        __builtin_add_overflow(length, more, &length))
      return std::nullopt;
  }
  return length;
}

/// Keeps the smallest box of the indices i with function(i) <= limit: a variable's bound is right
/// while the others are where they make the function least.
void keep_at_most(const affine& function, std::int64_t limit, box& indices) {
  const auto least_of = [&](std::size_t d) {
    const wide factor = function.factors[d];
    return factor * (factor > 0 ? indices.low[d] : indices.high[d] - 1);
  };
  wide least = function.constant;
  bool lost = false;
  for (std::size_t d = 0; d < indices.rank; ++d)
    lost |= __builtin_add_overflow(least, least_of(d), &least);
  if (lost) return;  // bounds that aren't known don't bound
  const box all = indices;
  for (std::size_t d = 0; d < indices.rank; ++d) {
    const wide factor = function.factors[d];
    if (factor == 0) continue;
    const wide at_end = factor * (factor > 0 ? all.low[d] : all.high[d] - 1);
    wide room = 0;
    if (__builtin_sub_overflow(at_end, least, &room) ||
        __builtin_add_overflow(room, wide{limit}, &room))
      continue;
    if (factor > 0)
      indices.high[d] = std::min(all.high[d] - 1, clamped(floor_div(room, factor))) + 1;
    else
      indices.low[d] = std::max(all.low[d], clamped(ceil_div(room, factor)));
  }
  if (least > limit) indices = box(indices.rank);
}

affine negative(const affine& function, bool& lost) {
  const auto result = product(function, -1);
  lost = !result;
  return result.value_or(affine{});
}

/// The only variable of both slices, if it has the same factor everywhere in them.
std::optional<std::size_t> common_variable(const linear_access& a, const linear_access& b,
                                           std::size_t dimension) {
  const auto& factors = a.low[dimension].factors;
  if (factors != a.high[dimension].factors || factors != b.low[dimension].factors ||
      factors != b.high[dimension].factors)
    return std::nullopt;
  const auto used = [](std::int64_t factor) { return factor != 0; };
  if (std::count_if(factors.begin(), factors.end(), used) != 1) return std::nullopt;
  return std::find_if(factors.begin(), factors.end(), used) - factors.begin();
}

/// Of slices whose ends low_of(formula) and high_of(formula) give; an open end is the array's.
/// None: one of these gives none.
template <typename Low, typename High>
std::optional<linear_access> with_ends(const access& by, const box& array, Low&& low_of,
                                       High&& high_of) {
  linear_access result{array.rank, {}, {}};
  for (std::size_t d = 0; d < array.rank; ++d) {
    result.low[d].constant = array.low[d];
    result.high[d].constant = array.high[d] - 1;
    if (by.slices.empty()) continue;
    const auto& [low, high] = by.slices[d];
    const auto first = low ? low_of(*low) : result.low[d];
    const auto last = high ? high_of(*high) : result.high[d];
    if (!first || !last) return std::nullopt;
    result.low[d] = *first;
    result.high[d] = *last;
  }
  return result;
}

interval both_of(const interval& a, const interval& b) {
  return {std::max(a.low, b.low), std::min(a.high, b.high)};
}

}  // namespace

std::optional<linear_access> linear(const access& by, const box& indices,
                                    std::span<const std::int64_t> symbols, const box& array) {
  if (indices.empty()) return std::nullopt;
  const auto end = [&](const expression& formula) { return linear(formula, indices, symbols); };
  return with_ends(by, array, end, end);
}

namespace {

/// Variables whose values touch elements that are apart, as bits.
struct separation {
  unsigned apart = 0;
  bool tiles = true;
};

separation separation_of(const linear_access& by, const box& indices) {
  bool tiles = true;
  unsigned apart = 0, seen = 0;
  for (std::size_t d = 0; d < by.rank; ++d) {
    const auto variables = variables_in(by.low[d], indices) | variables_in(by.high[d], indices);
    if (variables == 0) continue;
    const bool alone = (variables & (variables - 1)) == 0;
    const auto length = length_of(by.low[d], by.high[d], indices);
    if (!alone || !length) {
      tiles = false;
      continue;
    }
    const auto variable = static_cast<std::size_t>(__builtin_ctz(variables));
    const wide factor = by.low[d].factors[variable], step = factor < 0 ? -factor : factor;
    if (step >= *length) apart |= variables;
    tiles &= step == *length && (seen & variables) == 0;
    seen |= variables;
  }
  return {apart, tiles};
}

}  // namespace

spread spread_of(const linear_access& by, const box& indices) noexcept {
  const auto [apart, tiles] = separation_of(by, indices);
  for (std::size_t d = 0; d < indices.rank; ++d)
    if (indices.extent(d) > 1 && (apart & 1U << d) == 0) return spread::mixed;
  return tiles ? spread::tiles : spread::apart;
}

namespace {

/// Around the slices; no bound: all of the dimension. None: some element may have any number.
std::optional<linear_access> around(const access& by, const box& indices,
                                    std::span<const std::int64_t> symbols, const box& array,
                                    bool second_of_low, bool second_of_high) {
  return with_ends(
      by, array,
      [&](const expression& low) { return bounds(low, indices, symbols, second_of_low).low; },
      [&](const expression& high) { return bounds(high, indices, symbols, second_of_high).high; });
}

}  // namespace

spread spread_of(const access& by, const box& indices, std::span<const std::int64_t> symbols,
                 const box& array) {
  if (indices.empty()) return spread::apart;
  for (const bool second_of_low : {false, true})
    for (const bool second_of_high : {false, true}) {
      const auto wider = around(by, indices, symbols, array, second_of_low, second_of_high);
      if (wider && spread_of(*wider, indices) != spread::mixed) return spread::apart;
    }
  return spread::mixed;
}

unsigned dimensions_apart(const linear_access& by, const box& indices) noexcept {
  return separation_of(by, indices).apart;
}

box touching(const linear_access& by, const box& elements, const box& indices) noexcept {
  if (elements.empty() || indices.empty()) return box(indices.rank);
  box found = indices;
  for (std::size_t d = 0; d < by.rank && !found.empty(); ++d) {
    // low(i) <= the last element, and high(i) >= the first one.
    keep_at_most(by.low[d], elements.high[d] - 1, found);
    bool lost = elements.low[d] == interval::least;
    if (lost || found.empty()) continue;
    const auto turned = negative(by.high[d], lost);
    if (!lost) keep_at_most(turned, -elements.low[d], found);
  }
  return found.empty() ? box(indices.rank) : found;
}

std::array<interval, rank_max> distances(const linear_access& from,
                                         const linear_access& to) noexcept {
  std::array<interval, rank_max> result;
  result.fill(interval::everything());
  bool meet = true;
  for (std::size_t d = 0; d < from.rank; ++d) {
    const auto &low = from.low[d], &high = from.high[d];
    // to.low + f·q <= high + f·p and low + f·p <= to.high + f·q bound f·(q - p).
    const wide least = wide{low.constant} - to.high[d].constant;
    const wide most = wide{high.constant} - to.low[d].constant;
    const bool constant = low.is_constant() && high.is_constant() && to.low[d].is_constant() &&
                          to.high[d].is_constant();
    if (constant) meet &= least <= 0 && 0 <= most;
    const auto variable = common_variable(from, to, d);
    if (!variable) continue;
    const wide factor = low.factors[*variable];
    const wide first = ceil_div(factor > 0 ? least : -most, factor > 0 ? factor : -factor);
    const wide last = floor_div(factor > 0 ? most : -least, factor > 0 ? factor : -factor);
    result[*variable] = both_of(result[*variable], {clamped(first), clamped(last)});
  }
  if (!meet) result.fill(interval::nothing());
  return result;
}

}  // namespace pappus::regions

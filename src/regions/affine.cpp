#include "regions/affine.h"

namespace pappus::regions {
namespace {

/// f(x, y, &result), which returns whether 64 bits can't hold it, of the constants and of the
/// factors one by one.
template <typename F>
std::optional<affine> termwise(const affine& a, const affine& b, F&& f) noexcept {
  affine result;
  bool lost = f(a.constant, b.constant, &result.constant);
  for (std::size_t d = 0; d < rank_max; ++d)
    lost |= f(a.factors[d], b.factors[d], &result.factors[d]);
  return lost ? std::nullopt : std::optional(result);
}

}  // namespace

std::optional<affine> sum(const affine& a, const affine& b) noexcept {
  return termwise(a, b, [](auto x, auto y, auto* to) { return __builtin_add_overflow(x, y, to); });
}

std::optional<affine> difference(const affine& a, const affine& b) noexcept {
  return termwise(a, b, [](auto x, auto y, auto* to) { return __builtin_sub_overflow(x, y, to); });
}

std::optional<affine> product(const affine& a, std::int64_t factor) noexcept {
  affine same;  // in every term
  same.constant = factor;
  same.factors.fill(factor);
  return termwise(a, same,
                  [](auto x, auto y, auto* to) { return __builtin_mul_overflow(x, y, to); });
}

interval over(const affine& function, const box& indices) noexcept {
  if (indices.empty()) return interval::nothing();
  // Sums of five products of 64-bit numbers may leave 128 bits; each product alone doesn't.
  wide low = function.constant, high = function.constant;
  bool lost = false;
  for (std::size_t d = 0; d < rank_max; ++d) {
    const wide factor = function.factors[d];
    if (factor == 0) continue;
    if (d >= indices.rank) return interval::everything();
    const wide first = factor * indices.low[d], last = factor * (indices.high[d] - 1);
    lost |= __builtin_add_overflow(low, std::min(first, last), &low);
    lost |= __builtin_add_overflow(high, std::max(first, last), &high);
  }
  if (lost || low < interval::least || high > interval::most) return interval::everything();
  return {static_cast<std::int64_t>(low), static_cast<std::int64_t>(high)};
}

}  // namespace pappus::regions

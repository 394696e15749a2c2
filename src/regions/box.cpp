#include "regions/box.h"

#include <algorithm>
#include <limits>

#include <fmt/format.h>

namespace pappus::regions {
namespace {

constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();

}  // namespace

box::box(std::initializer_list<std::int64_t> lows, std::initializer_list<std::int64_t> highs)
    : rank(std::min({lows.size(), highs.size(), rank_max})) {
  std::copy_n(lows.begin(), rank, low.begin());
  std::copy_n(highs.begin(), rank, high.begin());
}

std::int64_t box::extent(std::size_t dimension) const noexcept {
  if (low[dimension] >= high[dimension]) return 0;
  std::int64_t places = 0;
  return __builtin_sub_overflow(high[dimension], low[dimension], &places) ? most : places;
}

std::int64_t box::volume() const noexcept {
  if (empty()) return 0;
  std::int64_t places = 1;
  for (std::size_t d = 0; d < rank; ++d) places = saturated_product(places, extent(d));
  return places;
}

bool contains(const box& all, const point& one) noexcept {
  for (std::size_t d = 0; d < all.rank; ++d)
    if (one[d] < all.low[d] || one[d] >= all.high[d]) return false;
  return true;
}

bool contains(const box& all, const box& part) noexcept {
  if (part.empty()) return true;
  for (std::size_t d = 0; d < all.rank; ++d)
    if (part.low[d] < all.low[d] || part.high[d] > all.high[d]) return false;
  return true;
}

bool overlap(const box& a, const box& b) noexcept {
  for (std::size_t d = 0; d < a.rank; ++d)
    if (std::max(a.low[d], b.low[d]) >= std::min(a.high[d], b.high[d])) return false;
  return true;
}

box intersect(const box& a, const box& b) noexcept {
  box both(a.rank);
  for (std::size_t d = 0; d < a.rank; ++d) {
    both.low[d] = std::max(a.low[d], b.low[d]);
    both.high[d] = std::min(a.high[d], b.high[d]);
  }
  return both.empty() ? box(a.rank) : both;
}

box first_place(const box& of) noexcept {
  auto result = of;
  for (std::size_t d = 0; d < of.rank; ++d) result.high[d] = of.low[d] + 1;
  return result;
}

box hull(const box& a, const box& b) noexcept {
  if (a.empty()) return b;
  if (b.empty()) return a;
  box around(a.rank);
  for (std::size_t d = 0; d < a.rank; ++d) {
    around.low[d] = std::min(a.low[d], b.low[d]);
    around.high[d] = std::max(a.high[d], b.high[d]);
  }
  return around;
}

base::small_list<box, 2 * rank_max> subtract(const box& from, const box& what) {
  base::small_list<box, 2 * rank_max> pieces;
  if (!overlap(from, what)) {
    if (!from.empty()) pieces.push_back(from);
    return pieces;
  }
  box rest = from;
  for (std::size_t d = 0; d < from.rank; ++d) {
    if (rest.low[d] < what.low[d]) {
      pieces.push_back(rest);
      pieces.back().high[d] = rest.low[d] = what.low[d];
    }
    if (what.high[d] < rest.high[d]) {
      pieces.push_back(rest);
      pieces.back().low[d] = rest.high[d] = what.high[d];
    }
  }
  return pieces;
}

std::int64_t saturated_sum(std::int64_t a, std::int64_t b) noexcept {
  std::int64_t sum = 0;
  return __builtin_add_overflow(a, b, &sum) ? most : sum;
}

std::int64_t saturated_product(std::int64_t a, std::int64_t b) noexcept {
  std::int64_t product = 0;
  return __builtin_mul_overflow(a, b, &product) ? most : product;
}

std::string text(const box& what) {
  if (what.empty()) return "nothing";
  std::string result;
  for (std::size_t d = 0; d < what.rank; ++d) {
    const auto low = what.low[d], last = what.high[d] - 1;
    result += d == 0 ? "" : ",";
    result += low == last ? fmt::format("{}", low) : fmt::format("{}:{}", low, last);
  }
  return "[" + result + "]";
}

}  // namespace pappus::regions

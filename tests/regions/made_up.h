// Random boxes, sets of places as bits, and random formulas with their values one by one.
#pragma once

#include <algorithm>
#include <bitset>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <vector>

#include "regions/box.h"
#include "regions/expression.h"
#include "regions/interval.h"
#include "regions/parts.h"
#include "regions/region.h"

namespace pappus::regions {

/// Cheap to make: each case has a seed of its own, which its failure prints.
class made_up {
 public:
  explicit made_up(std::uint64_t seed) : state_(seed * 0x9e3779b97f4a7c15) {}

  /// Steele, Lea, Flood: Fast splittable pseudorandom number generators (OOPSLA 2014).
  std::uint64_t number() {
    auto z = state_ += 0x9e3779b97f4a7c15;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }
  std::size_t below(std::size_t n) { return number() % n; }
  bool one_in(std::size_t n) { return below(n) == 0; }
  /// Both inclusive.
  std::int64_t between(std::int64_t low, std::int64_t high) {
    return low + static_cast<std::int64_t>(below(static_cast<std::size_t>(high - low + 1)));
  }

  /// In -1 <= place < -1 + size; one in eight is empty.
  box a_box(std::size_t rank, std::int64_t size) {
    box result(rank);
    const bool may_be_empty = one_in(8);
    for (std::size_t d = 0; d < rank; ++d) {
      result.low[d] = between(-1, size - 2);
      result.high[d] = between(may_be_empty ? -1 : result.low[d] + 1, size - 1);
    }
    return result;
  }

  /// Near 0, seldom near the ends of int64.
  std::int64_t a_constant() {
    if (!one_in(16)) return between(-4, 9);
    const auto power = std::int64_t{1} << between(30, 62), top = power - 1 + power;
    return one_in(2) ? top - between(0, 2) : -top - 1 + between(0, 2);
  }

  expression a_leaf(std::size_t rank) {
    if (rank > 0 && one_in(2)) return expression::index(below(rank));
    return one_in(3) ? expression::symbol(below(2)) : expression(a_constant());
  }

  /// Any operations.
  expression a_formula(std::size_t rank, int depth) {
    if (depth == 0 || one_in(5)) return a_leaf(rank);
    const auto what =
        static_cast<operation>(static_cast<int>(operation::add) + between(0, one_in(3) ? 11 : 6));
    return expression::of(what, a_formula(rank, depth - 1), a_formula(rank, depth - 1));
  }

  /// Linear in the index whatever the symbols are, of small numbers.
  expression a_linear_formula(std::size_t rank, int depth) {
    if (depth == 0 || one_in(5))
      return rank > 0 && one_in(2) ? expression::index(below(rank)) : a_number();
    const auto a = a_linear_formula(rank, depth - 1);
    switch (below(4)) {
      case 0:
        return a * a_number();
      case 1:
        return a_number() * a;
      case 2:
        return a - a_linear_formula(rank, depth - 1);
      default:
        return a + a_linear_formula(rank, depth - 1);
    }
  }

  expression a_number() {
    return one_in(4) ? expression::symbol(below(2)) : expression(between(-3, 5));
  }

 private:
  std::uint64_t state_;
};

/// Places up to which tests go, along each dimension of this rank, so that no set has too many.
inline std::int64_t few_along(std::size_t rank) {
  constexpr std::int64_t sizes[] = {1, 14, 8, 6, 4};
  return sizes[rank];
}

/// A set as bits, of places in -1 <= place < 15.
class bitmap {
 public:
  using bits = std::bitset<512>;

  explicit bitmap(std::size_t rank) : rank_(rank) {}
  bits of(const box& one) const {
    bits result;
    each_place(one, [&](const point& p) { result.set(number(p)); });
    return result;
  }
  bits of(const region& many) const {
    bits result;
    for (const auto& one : many.boxes()) result |= of(one);
    return result;
  }

 private:
  std::size_t number(const point& p) const {
    std::size_t n = 0;
    for (std::size_t d = 0; d < rank_; ++d)
      n = n * static_cast<std::size_t>(few_along(rank_)) + static_cast<std::size_t>(p[d] + 1);
    return n;
  }
  std::size_t rank_;
};

/// The value at one index; none: C++ doesn't define it.
inline std::optional<std::int64_t> value_at(const expression& formula, const point& index,
                                            const std::vector<std::int64_t>& symbols) {
  std::vector<wide> pending;
  const auto terms = formula.terms();
  for (auto t = terms.rbegin(); t != terms.rend(); ++t) {
    if (t->what <= operation::symbol) {
      const auto n = static_cast<std::size_t>(t->value);
      pending.push_back(t->what == operation::constant ? t->value
                        : t->what == operation::index  ? index[n]
                                                       : symbols[n]);
      continue;
    }
    const wide a = pending.back();
    pending.pop_back();
    const wide b = pending.back();
    const bool divides = t->what == operation::divide || t->what == operation::modulo;
    const bool shifts = t->what == operation::shift_left || t->what == operation::shift_right;
    if ((divides && b == 0) || (shifts && (b < 0 || b > 63))) return std::nullopt;
    const auto result = [&]() -> wide {
      switch (t->what) {
        case operation::add:
          return a + b;
        case operation::subtract:
          return a - b;
        case operation::multiply:
          return a * b;
        case operation::divide:
          return a / b;
        case operation::modulo:
          return a % b;
        case operation::least:
          return std::min(a, b);
        case operation::greatest:
          return std::max(a, b);
        case operation::shift_left:
          return a * (wide{1} << static_cast<int>(b));
        case operation::shift_right:
          return a >> static_cast<int>(b);
        case operation::bits_and:
          return a & b;
        case operation::bits_or:
          return a | b;
        default:
          return a ^ b;
      }
    }();
    if (result < interval::least || result > interval::most) return std::nullopt;
    pending.back() = result;
  }
  return static_cast<std::int64_t>(pending.back());
}

}  // namespace pappus::regions

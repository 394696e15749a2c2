#include "regions/evaluate.h"

namespace pappus::regions {
namespace {

/// An intermediate result: a function where it is linear, else an interval.
struct value {
  bool is_linear = false;
  affine function;
  interval range;
};

class evaluation {
 public:
  evaluation(const box& indices, std::span<const std::int64_t> symbols)
      : indices_(indices), symbols_(symbols) {}

  value of(std::span<const term> terms) const {
    base::small_list<value, 8> results;
    for (auto t = terms.rbegin(); t != terms.rend(); ++t) {
      if (t->what <= operation::symbol) {
        results.push_back(leaf(*t));
        continue;
      }
      const value a = results.back();
      results.truncate(results.size() - 1);
      results.back() = applied(t->what, a, results.back());
    }
    return results[0];
  }

  /// The same with bounds.
  linear_bounds bounds(std::span<const term> terms, bool second) const {
    base::small_list<bounded_value, 8> results;
    for (auto t = terms.rbegin(); t != terms.rend(); ++t) {
      if (t->what <= operation::symbol) {
        results.push_back(bounded(leaf(*t)));
        continue;
      }
      const bounded_value a = results.back();
      results.truncate(results.size() - 1);
      results.back() = applied(t->what, a, results.back(), second);
    }
    return results[0].between;
  }

  interval range(const value& of) const {
    return of.is_linear ? over(of.function, indices_) : of.range;
  }

 private:
  struct bounded_value {
    value exact;
    linear_bounds between;
  };

  bounded_value bounded(const value& exact) const {
    if (exact.is_linear) return {exact, {exact.function, exact.function}};
    if (!exact.range.bounded()) return {exact, {}};
    return {exact, {affine{exact.range.low, {}}, affine{exact.range.high, {}}}};
  }

  bounded_value applied(operation what, const bounded_value& a, const bounded_value& b,
                        bool second) const {
    auto result = bounded(applied(what, a.exact, b.exact));
    // What may overflow isn't between the bounds of what it is made of.
    if (!range(result.exact).bounded()) return result;
    const auto improve = [](std::optional<affine>& to, const std::optional<affine>& better) {
      if (better) to = better;
    };
    const auto both = [](auto f, const auto& x, const auto& y) {
      return x && y ? f(*x, *y) : std::nullopt;
    };
    auto& [low, high] = result.between;
    if (what == operation::add) {
      improve(low, both(sum, a.between.low, b.between.low));
      improve(high, both(sum, a.between.high, b.between.high));
    } else if (what == operation::subtract) {
      improve(low, both(difference, a.between.low, b.between.high));
      improve(high, both(difference, a.between.high, b.between.low));
    } else if (what == operation::least) {
      improve(high, second ? b.between.high : a.between.high);
    } else if (what == operation::greatest) {
      improve(low, second ? b.between.low : a.between.low);
    }
    return result;
  }

  value linear(const affine& function) const { return {true, function, {}}; }
  value constant(std::int64_t number) const { return linear({number, {}}); }
  value within(const interval& range) const {
    if (range.single() && range.bounded()) return constant(range.low);
    return {false, {}, range};
  }

  value leaf(const term& t) const {
    if (t.what == operation::constant) return constant(t.value);
    const auto which = static_cast<std::size_t>(t.value);
    if (t.what == operation::symbol)
      return which < symbols_.size() ? constant(symbols_[which]) : within(interval::everything());
    if (which >= indices_.rank) return within(interval::everything());
    affine function;
    function.factors[which] = 1;
    return linear(function);
  }

  value applied(operation what, const value& a, const value& b) const {
    if (a.is_linear && b.is_linear)
      if (const auto function = as_linear(what, a.function, b.function)) return linear(*function);
    const auto x = range(a), y = range(b);
    switch (what) {
      case operation::add:
        return within(x + y);
      case operation::subtract:
        return within(x - y);
      case operation::multiply:
        return within(x * y);
      case operation::divide:
        return within(x / y);
      case operation::modulo:
        return within(x % y);
      case operation::least:
        return within(least_of(x, y));
      case operation::greatest:
        return within(greatest_of(x, y));
      case operation::shift_left:
        return within(x << y);
      case operation::shift_right:
        return within(x >> y);
      case operation::bits_and:
        return within(x & y);
      case operation::bits_or:
        return within(x | y);
      default:
        return within(x ^ y);
    }
  }

  std::optional<affine> as_linear(operation what, const affine& a, const affine& b) const {
    switch (what) {
      case operation::add:
        return sum(a, b);
      case operation::subtract:
        return difference(a, b);
      case operation::multiply:
        if (b.is_constant()) return product(a, b.constant);
        return a.is_constant() ? product(b, a.constant) : std::nullopt;
      case operation::shift_left:
        // 2^63 is negative.
        if (!b.is_constant() || b.constant < 0 || b.constant > 62) return std::nullopt;
        return product(a, std::int64_t{1} << b.constant);
      case operation::divide:
        return quotient(a, b);
      case operation::modulo:
        return remainder(a, b);
      case operation::least:
        return chosen(a, b, difference(a, b));
      case operation::greatest:
        return chosen(a, b, difference(b, a));
      default:
        return std::nullopt;
    }
  }

  /// (2*i+1)/2 is i from 0 on: the divisor goes into all factors, and the constant is rounded
  /// towards 0 as all values are.
  std::optional<affine> quotient(const affine& a, const affine& b) const {
    if (!b.is_constant() || b.constant < 1) return std::nullopt;
    affine result{a.constant / b.constant, a.factors};
    for (auto& factor : result.factors) {
      if (factor % b.constant != 0) return std::nullopt;
      factor /= b.constant;
    }
    const auto range = over(a, indices_);
    const auto rest = a.constant % b.constant;
    if (!range.bounded() || (rest != 0 && range.low < 0 && range.high > 0)) return std::nullopt;
    if (rest < 0 && range.low >= 0) --result.constant;
    if (rest > 0 && range.low < 0) ++result.constant;
    return result;
  }

  /// a % b is a - q·b where the quotient q is the same for all.
  std::optional<affine> remainder(const affine& a, const affine& b) const {
    const auto range = over(a, indices_);
    if (!b.is_constant() || b.constant == 0 || !range.bounded()) return std::nullopt;
    const auto quotient = range.low / b.constant;
    if (quotient != range.high / b.constant) return std::nullopt;
    return difference(a, {quotient * b.constant, {}});
  }

  /// Of a and b the one that is right everywhere: a where the difference is never above 0.
  std::optional<affine> chosen(const affine& a, const affine& b,
                               const std::optional<affine>& difference) const {
    if (!difference || !over(a, indices_).bounded() || !over(b, indices_).bounded())
      return std::nullopt;
    const auto range = over(*difference, indices_);
    if (!range.bounded()) return std::nullopt;
    return range.high <= 0 ? std::optional(a) : range.low >= 0 ? std::optional(b) : std::nullopt;
  }

  const box& indices_;
  std::span<const std::int64_t> symbols_;
};

}  // namespace

interval over(const expression& formula, const box& indices,
              std::span<const std::int64_t> symbols) {
  if (indices.empty()) return interval::nothing();
  const evaluation at(indices, symbols);
  return at.range(at.of(formula.terms()));
}

std::optional<affine> linear(const expression& formula, const box& indices,
                             std::span<const std::int64_t> symbols) {
  if (indices.empty()) return std::nullopt;
  const auto result = evaluation(indices, symbols).of(formula.terms());
  return result.is_linear ? std::optional(result.function) : std::nullopt;
}

linear_bounds bounds(const expression& formula, const box& indices,
                     std::span<const std::int64_t> symbols, bool second) {
  if (indices.empty()) return {};
  return evaluation(indices, symbols).bounds(formula.terms(), second);
}

}  // namespace pappus::regions

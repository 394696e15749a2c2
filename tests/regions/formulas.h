// What tests write formulas and intervals of.
#pragma once

#include <cstdint>

#include "regions/expression.h"
#include "regions/interval.h"

namespace pappus::regions {

inline const expression i = expression::index(0), j = expression::index(1);
inline const expression n = expression::symbol(0), w = expression::symbol(1);

inline expression least(const expression& a, const expression& b) {
  return expression::of(operation::least, a, b);
}
inline expression greatest(const expression& a, const expression& b) {
  return expression::of(operation::greatest, a, b);
}

inline constexpr auto everything = interval::everything();
inline constexpr std::int64_t lowest = interval::least, highest = interval::most;

}  // namespace pappus::regions

#include "regions/footprint.h"

#include <algorithm>

#include "regions/evaluate.h"

namespace pappus::regions {
namespace {

/// What one slice names along a dimension.
struct stretch {
  interval named;  // both inclusive
  bool known = true;
};

stretch stretch_of(const slice& one, const box& indices, std::span<const std::int64_t> symbols,
                   std::int64_t first, std::int64_t last) {
  stretch result{{first, last}, true};
  const auto value = [&](const expression& formula) {
    const auto range = over(formula, indices, symbols);
    result.known &= range.bounded();
    return range;
  };
  if (one.low) result.named.low = value(*one.low).low;
  if (one.high) result.named.high = value(*one.high).high;
  return result;
}

std::string word_of(const access& by) {
  switch (by.mode) {
    case access_mode::read:
      return "read";
    case access_mode::write:
      return "write";
    case access_mode::readwrite:
      return "readwrite";
    default:
      return by.by ? "reduce(" + text(*by.by) + ")" : "reduce";
  }
}

std::string text_of(const slice& one, const formula_names& names) {
  if (one.low && one.low == one.high) return text(*one.low, names);
  return (one.low ? text(*one.low, names) : "") + ":" + (one.high ? text(*one.high, names) : "");
}

}  // namespace

footprint footprint::with(std::span<const std::int64_t> symbols) const {
  footprint result = *this;
  for (auto& one : result.accesses) {
    for (auto& s : one.slices) {
      if (s.low) s.low = s.low->with(symbols);
      if (s.high) s.high = s.high->with(symbols);
    }
  }
  return result;
}

touch touched(const access& by, const box& indices, std::span<const std::int64_t> symbols,
              const box& array) {
  const touch none{box(array.rank), touch::place::inside};
  if (indices.empty()) return none;
  if (by.slices.empty()) return {array, touch::place::inside};
  touch result{box(array.rank), touch::place::inside};
  bool known = true, inside = true, outside = false;
  for (std::size_t d = 0; d < array.rank; ++d) {
    const auto first = array.low[d], last = array.high[d] - 1;
    const auto [named, is_known] = stretch_of(by.slices[d], indices, symbols, first, last);
    if (named.empty()) return none;
    known &= is_known;
    inside &= first <= named.low && named.high <= last;
    outside |= named.high < first || last < named.low;
    result.elements.low[d] = std::max(first, named.low);
    result.elements.high[d] = std::min(last, named.high) + 1;
  }
  if (outside) result.elements = box(array.rank);
  result.where = !known    ? touch::place::unknown
                 : outside ? touch::place::outside
                 : inside  ? touch::place::inside
                           : touch::place::partly_outside;
  return result;
}

std::string text(reduction by) {
  switch (by) {
    case reduction::sum:
      return "+";
    case reduction::product:
      return "*";
    case reduction::minimum:
      return "min";
    default:
      return "max";
  }
}

std::string text(const access& by, const access_names& names) {
  std::string result = word_of(by) + " ";
  result +=
      by.array < names.arrays.size() ? names.arrays[by.array] : "a" + std::to_string(by.array);
  if (by.slices.empty()) return result;
  for (std::size_t d = 0; d < by.slices.size(); ++d)
    result += (d == 0 ? "[" : ",") + text_of(by.slices[d], names.formulas);
  return result + "]";
}

std::string text(const footprint& all, const access_names& names) {
  std::string result;
  for (const auto& one : all.accesses) result += (result.empty() ? "" : ", ") + text(one, names);
  return result.empty() ? "nothing" : result;
}

}  // namespace pappus::regions

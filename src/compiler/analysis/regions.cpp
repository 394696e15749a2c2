#include "compiler/analysis/regions.h"

#include <llvm/Analysis/ScalarEvolutionExpressions.h>

#include <optional>

namespace pappus::compiler {
namespace {

constexpr std::int64_t small_hole = 8;

std::optional<std::int64_t> difference(const llvm::SCEV* a, const llvm::SCEV* b,
                                       llvm::ScalarEvolution& values) {
  const auto* number = llvm::dyn_cast<llvm::SCEVConstant>(values.getMinusSCEV(a, b));
  return number != nullptr ? std::optional(number->getAPInt().getSExtValue()) : std::nullopt;
}

/// One slice for both, if they are close to each other.
std::optional<slice> joined(const slice& a, const slice& b, bool exactly,
                            llvm::ScalarEvolution& values) {
  if (a.low == nullptr || b.low == nullptr) return std::nullopt;
  const auto low = difference(b.low, a.low, values), high = difference(b.high, a.high, values);
  if (!low || !high) return std::nullopt;
  const auto& first = *low >= 0 ? a : b;
  const auto length = difference(first.high, first.low, values);
  // A slice of unknown length may be empty, then what is between both would be named in vain.
  if (exactly && !length) return std::nullopt;
  const auto reach = length.value_or(0) + 1 + (exactly ? 0 : small_hole);
  if (std::abs(*low) > reach) return std::nullopt;
  return slice{first.low, *high >= 0 ? b.high : a.high, a.linear && b.linear};
}

bool join_along(std::size_t dimension, region& a, const region& b, bool exactly,
                llvm::ScalarEvolution& values) {
  for (std::size_t d = 0; d < a.slices.size(); ++d)
    if (d != dimension && a.slices[d] != b.slices[d]) return false;
  const auto both = joined(a.slices[dimension], b.slices[dimension], exactly, values);
  if (!both) return false;
  a.slices[dimension] = *both;
  return true;
}

}  // namespace

void merge(std::vector<region>& regions, bool exactly, llvm::ScalarEvolution& values) {
  const auto join_one_pair = [&](std::size_t dimension) {
    for (std::size_t i = 0; i < regions.size(); ++i)
      for (std::size_t j = i + 1; j < regions.size(); ++j)
        if (regions[i].certain == regions[j].certain &&
            join_along(dimension, regions[i], regions[j], exactly, values)) {
          regions.erase(regions.begin() + static_cast<std::ptrdiff_t>(j));
          return true;
        }
    return false;
  };
  for (std::size_t i = 0; i < regions.size(); ++i)
    for (std::size_t j = regions.size(); --j > i;)
      if (regions[i].slices == regions[j].slices) {
        regions[i].certain |= regions[j].certain;
        regions.erase(regions.begin() + static_cast<std::ptrdiff_t>(j));
      }
  // Along the last dimension first: a star of five points is a row and a column, not a box.
  for (std::size_t d = regions.empty() ? 0 : regions.front().slices.size(); d-- > 0;)
    while (join_one_pair(d)) {
    }
}

}  // namespace pappus::compiler

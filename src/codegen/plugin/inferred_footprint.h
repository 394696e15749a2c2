// Which elements of its views a function touches, as the compiler plugin found
// (compiler/analysis/footprint.h), ready to be evaluated (regions/footprint.h).
//
//     const auto values = values_of(inferred, &function, arrays);
//     touched(inferred.touches.accesses[0], indices, values, arrays[0])
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "regions/box.h"
#include "regions/footprint.h"

namespace pappus::codegen {

/// A value that is known at launch: formulas call it s0, s1, ..
struct symbol {
  /// An integer in the captures.
  struct captured {
    /// {8}: it lies at offset 8 of the captures; {8, 0}: at offset 0 behind the pointer there.
    std::vector<std::int64_t> path;
    std::size_t bytes = 8;  ///< 1, 2, 4 or 8
    bool is_signed = true;
  };
  /// The number of elements of a view's array along a dimension.
  struct extent {
    std::size_t view = 0, dimension = 0;
  };
  std::string name;  ///< for people: "w", "in.extent(1)"
  std::variant<captured, extent> from;
};

struct inferred_footprint {
  regions::footprint touches;  ///< Arrays are the function's views, by number.
  /// By access: which elements it touches isn't known, they may depend on data. It has no slices,
  /// which says the whole array.
  std::vector<bool> unknown;
  std::vector<symbol> symbols;
  std::vector<std::size_t> ranks;  ///< of the views
  /// It holds only while the launch's index, symbols and the bounds of slices are below 2^31.
  bool narrow = false;
};

/// The symbols' values. Behind a null pointer all are 0: the function doesn't look there either.
/// \param captures  the function object, whose pointers must be good where symbols are behind them
/// \param arrays    of the views, by number; of the footprint's ranks
std::vector<std::int64_t> values_of(const inferred_footprint& of, const void* captures,
                                    std::span<const regions::box> arrays);

}  // namespace pappus::codegen

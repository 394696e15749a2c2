// Which elements of its arrays a launch touches, as formulas of its index: Lightning's annotations
// (Heldens et al., HPC Asia 2022) as data.
//
//     read in[i-1:i+1], write out[i]
//
// Found by the compiler plugin or given by the user (annotation.h). Conditions aren't in them: more
// may be named than is touched, even elements that aren't there.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "regions/box.h"
#include "regions/expression.h"

namespace pappus::regions {

enum class access_mode : std::uint8_t { read, write, readwrite, reduce };
/// How values that are written to the same element become one.
enum class reduction : std::uint8_t { sum, product, minimum, maximum };

/// Numbers of elements along one dimension, both inclusive; low > high: none. An open end is the
/// first or the last element.
struct slice {
  std::optional<expression> low, high;
  friend bool operator==(const slice&, const slice&) = default;
};

struct access {
  std::size_t array = 0;  ///< its number among the launch's
  access_mode mode = access_mode::read;
  std::optional<reduction> by{};  ///< where it is reduced; none: as the array's elements say
  std::vector<slice> slices;      ///< one for each of the array's dimensions; none: the whole array
  friend bool operator==(const access&, const access&) = default;
};

struct footprint {
  std::vector<access> accesses;
  /// With values in the places of symbols, once they are known.
  footprint with(std::span<const std::int64_t> symbols) const;
  friend bool operator==(const footprint&, const footprint&) = default;
};

/// Of an access over a box of indices.
struct touch {
  enum class place : std::uint8_t {
    inside,          ///< all that is named is in the array
    partly_outside,  ///< some is: a stencil's border, which the function leaves out
    outside,         ///< none of it is: a mistake
    unknown,         ///< the formulas may have any value: the whole array
  };
  box elements;  ///< the smallest box around what is named, without what isn't in the array
  place where = place::inside;
};

/// Never too small; as small as formulas are exact (expression.h). Over an empty box of indices, or
/// where slices are empty: no elements, inside (but of an array without dimensions its one).
/// O(terms·rank).
/// \param array  all its elements; of the rank of the access
touch touched(const access& by, const box& indices, std::span<const std::int64_t> symbols,
              const box& array);

/// What accesses and the values in them are called. Beyond the lists arrays are a0, a1, ..
struct access_names {
  formula_names formulas;
  std::span<const std::string> arrays;
};

/// "read in[i-1:i+1]", "reduce(+) sum", "reduce sum", as in an annotation.
std::string text(const access& by, const access_names& names);
/// "read in[i-1:i+1], write out[i]"; "nothing".
std::string text(const footprint& all, const access_names& names);
/// "+", "*", "min", "max".
std::string text(reduction by);

}  // namespace pappus::regions

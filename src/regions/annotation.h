// Footprints as users write them, in the notation of Lightning (Heldens et al., HPC Asia 2022,
// section 2.3):
//
//     global i => read in[i-1:i+1], write out[i]
//     global [i, j] => read a[i,:], read b[:,j], write c[i,j]
//     global [i, j] => read a[i,j], reduce(+) sum[i]
//     global i, block b => read in[i-w:i+w], write sums[b]
//     global [i, j] => read image[i,j], reduce smaller[(i-low)/k,j/k]
//
//     annotation := [names ":"] binding {"," binding} "=>" access {"," access}
//     binding    := ("global" | "block" | "local") (name | "[" names "]")
//     access     := mode name ["[" slice {"," slice} "]"]
//     mode       := "read" | "write" | "readwrite" | "reduce" ["(" ("+" | "*" | "min" | "max") ")"]
//     slice      := [index] ":" [index] | index
//     index      := C's + - * / % min max and parentheses, numbers and names
//
// Slices are inclusive; without bounds they are the whole dimension, an array without slices is the
// whole array. An index is made of what is bound by sums, differences, products with numbers and
// quotients, which C++ rounds towards 0, by numbers of at least 1; values that are known at launch
// may stand wherever numbers do. global is the launch's index, block that of its block of indices,
// local that within the block.
//
// Text comes from users: what is wrong with it is said with the place. What a name is, depends on
// the launch, so names are checked here, too, not afterwards.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "regions/footprint.h"

namespace pappus::regions {

/// What an annotation is of.
struct launch_signature {
  struct array {
    std::string name;  ///< may be empty; then the annotation begins with names for all
    std::size_t rank = 0;
  };
  std::size_t rank = 0;  ///< of the index
  std::vector<array> arrays;
  std::vector<std::string> values;      ///< names of symbols 0, 1, ..
  std::vector<std::int64_t> numbers{};  ///< which these are; empty: that isn't known yet
};

struct annotation {
  std::vector<std::string> arrays;   ///< their names
  std::vector<std::string> indices;  ///< of the global index; empty where it isn't bound
  /// Symbols after the launch's values are the sizes of its blocks, one for each dimension.
  footprint touches;
};

/// Throws usage_error of three lines: what was expected and what is there, that line of the text,
/// and a caret below the place.
annotation parse_annotation(std::string_view text, const launch_signature& launch);

}  // namespace pappus::regions

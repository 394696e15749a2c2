// Which elements of its arrays a function touches, as a formula of the launch's index: Lightning's
// annotations (HPC Asia 2022) without having to write them, and the subscript functions that the
// Active Data Repository's compiler extracts by slicing (ICPP 2000).
//
//     read in[i-w:i+w], write out[i]       bounds are inclusive; low > high: nothing
//     read a[i,:], read b[:,j], write c[i,j]
//     read in[i,j], readwrite view[(i-low)/k,(j-low)/k]
//     read table[unknown]
//
// Every access is a call of one function (accesses.h), whose arguments scalar evolution describes:
// sums and products of the launch's index, captured values and loops' counters. A counter stands
// for all the values that it takes, first to last. Conditions are ignored: more may be named than
// is read. For what is written that would be unsound: elements that are named but not written would
// lose their values. So `write` is said only where it is proven that each call writes all it names
// and that calls with different indices write different elements, which together fill a box;
// everything else is `readwrite`.
//
// Assumed: an index within a view is within the array (what else would an access mean), signed
// numbers don't overflow, and numbers of 64 bits that are made an `int` or `unsigned` fit.
//
// Considered: polyhedral sets (isl) would also describe triangles and holes, but the planner wants
// boxes, and stock clang lacks them.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "compiler/analysis/source_names.h"
#include "compiler/kernel_function.h"

namespace pappus::compiler {

struct touched {
  unsigned view = 0;    ///< number of the view, from 0
  std::string kind;     ///< read, write or readwrite
  bool affine = false;  ///< all bounds are linear in the launch's index
  /// Low and high index per dimension, as C expressions of 64-bit integers; both "": all of the
  /// dimension. No entries: unknown elements.
  std::vector<std::pair<std::string, std::string>> slices;
  std::string text;  ///< "read in[i-1:i+1]"
};

/// What a formula calls a value that is known at launch.
struct captured_value {
  std::string name;
  std::vector<std::int64_t> path;  ///< {8}: at offset 8 of the captures; {8, 0}: at offset 0 behind
                                   ///< the pointer there
  std::int64_t size;               ///< bytes
  bool is_signed;
};

struct footprint {
  std::vector<touched> touches;
  std::vector<captured_value> captured;
  /// True: it holds only while the launch's index, captured values and the bounds are below 2^31.
  bool narrow = false;
  std::string text() const;
};

/// To be called when everything but accesses has been inlined (cleaner::inline_all). None: the
/// function takes no views.
std::optional<footprint> footprint_of(const kernel_function& function, const source_names& names);

}  // namespace pappus::compiler

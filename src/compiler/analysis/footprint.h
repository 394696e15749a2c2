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
// numbers don't overflow, and numbers of 64 bits that are made an `int` or `unsigned` fit. The
// launch's index and captured numbers of 64 bits aren't negative where the function takes them for
// unsigned ones.
//
// Considered: polyhedral sets (isl) would also describe triangles and holes, but the planner wants
// boxes, and stock clang lacks them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "compiler/analysis/known_values.h"
#include "compiler/analysis/source_names.h"
#include "compiler/kernel_function.h"
#include "regions/footprint.h"

namespace pappus::compiler {

/// "read", "write", "readwrite" or "reduce", in texts and descriptors.
const char* word_of(regions::access_mode mode);

struct touched {
  regions::access what;  ///< arrays are numbered as views are; no slices: unknown elements
  std::string text;      ///< "read in[i-1:i+1]"
};

struct footprint {
  std::vector<touched> touches;
  std::vector<symbol> symbols;      ///< by the numbers that formulas have for them
  std::vector<std::int64_t> ranks;  ///< of the views
  /// True: it holds only while the launch's index, captured values and the bounds are below 2^31.
  bool narrow = false;
  /// What the function reads of what it captured by reference. None: it may do more with that, and
  /// with copies of it something else. Not found here, but by copyable_references().
  std::optional<std::vector<reference>> references;
  std::string text() const;
};

/// To be called when everything but accesses has been inlined (cleaner::inline_all). None: the
/// function takes no views.
std::optional<footprint> footprint_of(const kernel_function& function, const source_names& names);

}  // namespace pappus::compiler

// What the compiler plugin (src/compiler/) says of a user's function: device code, or why there is
// none.
//
// It comes as JSON, a constant of the user's object file, because that was compiled with a plugin
// of another build than this library, maybe another version. All with version
// detail::compiler_version have
//   version, name, function, source     a number; a C identifier; the C++ type; "kmeans.cpp:12:5"
//   reasons                             [{id, what, remedy, where, chain}]; may be empty
//   reads                               [{parameter, bytes: [[offset, size]...]}]: what is read of
//                                       an input record, but by what throws; bytes null: not known,
//                                       maybe all. Missing for functions of views
//   throws                              true: the function may, and then read more
//   pure                                true: calling it does nothing but return a result; missing:
//                                       it may
//   comparisons                         [{parameter, offset, bytes, is, floating, ...}]: of fields
//                                       of its records, all true where it returns true
//                                       (comparison.h); may be missing. Of integers bits,
//                                       sign_extended, addend, signed; compared with value, or
//                                       captured: {offset, bytes, steps: [[what, by, bits]...]}.
//                                       Of a text {parameter, offset, bytes, whole, text}: bytes
//                                       with which it begins, or all of them, or in their place
//                                       captured: {pointer, size}; the pointer of a view, or the
//                                       code of a category, lies at the offset
//   work                                what a call computes: {counts: [{sides, simple, wide,
//                                       divisions, maths}...], assumed, unseen, fast, vector_maths:
//                                       names of functions that have vector versions}; may be
//                                       missing
// Without reasons they also have
//   text                                one C function. In it $f stands for the function's name,
//                                       $0, $1, ... for the address space of the thunk's parameter
//                                       of that number, $r for that of captured references
//   references                          [{offset, bytes, align}]: memory behind the pointer at this
//                                       offset of the captures; one parameter each, after the
//                                       thunk's
//   doubles, traps                      traps: the last parameter is `GLOBAL uint* trap`, set to 1
//                                       where a check failed
//   floats                              how it computes with them: none, strict, fast
//   maths                               names of mathematical functions used
// Functions of an index and views have, whether there are reasons or not, in place of text and what
// belongs to it
//   footprint                           "read in[i-w:i+w], write out[i]"
//   ranks                               the views' numbers of dimensions
//   accesses                            [{view, kind, text, region: [{low, high}...]}]. low and
//                                       high are codes of regions::expression; null or missing: the
//                                       first or last element. In place of region stands
//                                       unknown: true if no dimension is known
//   symbols                             what formulas call s0, s1, ..: [{name, path, bytes,
//                                       signed}], captured values, and [{name, view, dimension}],
//                                       extents. path [8]: it lies at offset 8 of the captures;
//                                       [8, 0]: at offset 0 behind the pointer there
//   narrow                              true: the formulas hold only while all values in them and
//                                       of them are below 2^31
//   references                          as above; missing where the function may do more with
//                                       captured pointers, so that copies of what they refer to
//                                       won't do
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "codegen/element/read_bytes.h"
#include "codegen/plugin/comparison.h"
#include "codegen/plugin/inferred_footprint.h"
#include "cost/work.h"

namespace pappus::codegen {

struct compiled_function {
  struct reference {
    std::size_t offset = 0, bytes = 0, align = 1;
  };
  std::string name, source, text;
  std::vector<std::string> suffixes;  ///< its names at file scope are $f and one of these
  bool doubles = false, traps = false;
  bool throws = false;                  ///< it may, and then read more of its records
  bool pure = false;                    ///< calling it, or not, shows in its result alone
  std::vector<comparison> comparisons;  ///< all true where the function returns true
  std::vector<reference> references;
  /// Of a function of views: it does nothing with captured pointers but read its references.
  bool copyable = false;
  std::map<std::size_t, byte_ranges> reads;    ///< bytes of records, by parameter; no entry: any
  std::string footprint;                       ///< empty: the function takes no views
  std::optional<inferred_footprint> inferred;  ///< the same, to be evaluated
  /// The work of one call. Sides are numbered from 0 in the call, not in the stage.
  cost::row_work work{.how = cost::trust::at_least};
  std::vector<std::string> reasons;  ///< against device code, for explain: a sentence each
  std::string problem;               ///< why the descriptor can't be used; empty: it can
};

/// The descriptor, read once and kept. Thread-safe.
const compiled_function& compiled_function_of(std::string_view descriptor);

/// The function's text with $f, $0, $1, ... and $r replaced.
/// \param spaces      address spaces of the thunk's parameters, by number.
/// \param references  the address space of captured references.
std::string instance_of(const compiled_function& function, std::string_view name,
                        const std::vector<std::string>& spaces, std::string_view references);

}  // namespace pappus::codegen

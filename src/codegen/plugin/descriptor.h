// What the compiler plugin (src/compiler/) says of a user's function: device code, or why there is
// none.
//
// It comes as JSON, a constant of the user's object file, because that was compiled with a plugin
// of another build than this library, maybe another version. All of detail::compiler_version have
//   version, name, function, source     that; a C identifier; the C++ type; "kmeans.cpp:12:5"
//   reasons                             [{id, what, remedy, where, chain}]; where there are some,
//                                       nothing of what follows
//   text                                one C function. In it $f stands
//                                       for the function's name, $0, $1, ... for the address space
//                                       of the thunk's parameter of that number, $r for that of
//                                       captured references
//   references                          [{offset, bytes, align}]: memory behind the pointer at this
//                                       offset of the captures; one parameter each, after the
//                                       thunk's
//   doubles, traps                      traps: the last parameter is `GLOBAL uint* trap`, set to 1
//                                       where a check failed
//   floats                              how it computes with them: none, strict, fast
//   maths                               names of mathematical functions used
//   reads                               [{parameter, bytes: [[offset, size]...]}]: what is read of
//                                       an input record; without bytes: anything
// Functions of an index and views have, whether there are reasons or not, in place of text and all
// after it
//   footprint                           "read in[i-w:i+w], write out[i]"
//   accesses                            [{view, kind, text, region: [{low, high}...]}]; subscript
//   in
//                                       place of region: any function of the index, monotonic or
//                                       not; unknown: true: neither. low and high are formulas in
//                                       C, "" both: any
//   captured                            [{name, path, bytes, signed}]: what formulas call the value
//                                       at this offset of the captures, or behind the pointer
//                                       there, ...
//   work                                what a call computes: {counts: [{sides, simple, wide,
//                                       divisions, maths}...], assumed, unseen, fast, vector_maths:
//                                       names of functions that have vector versions}; may be
//                                       missing
//   narrow                              the formulas hold while all values in them and of them are
//                                       below 2^31
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "codegen/element/read_bytes.h"
#include "cost/work.h"

namespace pappus::codegen {

/// Which elements of one of its arrays a function touches, as formulas of a launch's index.
struct element_access {
  enum class kind { read, write, readwrite };
  struct slice {
    std::string low, high;  ///< both inclusive
  };
  std::size_t view = 0;
  kind what = kind::readwrite;  ///< write: all of them, whatever was there before
  bool affine = false;          ///< the formulas are linear
  std::vector<slice> slices;    ///< one for each dimension; none: unknown
  std::string text;             ///< "read in[i-w:i+w]"
};

struct compiled_function {
  struct reference {
    std::size_t offset = 0, bytes = 0, align = 1;
  };
  std::string name, source, text;
  std::vector<std::string> suffixes;  ///< of the names at file scope in it, which begin with $f
  bool doubles = false, traps = false;
  std::vector<reference> references;
  std::map<std::size_t, byte_ranges> reads;  ///< of records, by parameter; none: anything
  struct captured_value {
    std::string name;
    std::vector<std::size_t> path;
    std::size_t bytes = 0;
    bool is_signed = true;
  };
  std::string footprint;  ///< empty: it isn't a function of views
  std::vector<element_access> accesses;
  std::vector<captured_value> captured;
  bool narrow = false;
  /// Of a call; its sides are the call's own, from 0.
  cost::row_work work{.how = cost::trust::at_least};
  std::vector<std::string> reasons;  ///< a sentence each, for explain
  std::string problem;               ///< of the descriptor itself: another version, broken
};

/// The descriptor, read once and kept. Thread-safe.
const compiled_function& compiled_function_of(std::string_view descriptor);

/// The text with its name, address spaces of parameters (by number) and of references filled in.
std::string instance_of(const compiled_function& function, std::string_view name,
                        const std::vector<std::string>& spaces, std::string_view references);

}  // namespace pappus::codegen

// The device version of a stage: C text generated from the description of its element function.
//
// Text order: types, the users' device code (each text once), values_t, ELEMENT_PARAMS and
// ELEMENT_ARGS, the functions below; the operator's text follows. ELEMENT_PARAMS are, in this
// order:
//   GLOBAL const T* in<i>                      for each input, at the first row of the launch
//   GLOBAL const S* side<j>, long side<j>_rows for each side
//   values_t values                            captured values, if any; in a buffer (GLOBAL const
//                                              values_t* values) where they exceed 512 bytes
//   GLOBAL uint* trap                          where functions have checks that may fail
//   long first_row                             number of the launch's first row, over the stage
//
// Functions, by what the node is:
//   materialise, deliver, sort, top, scan; at most one record a row:
//     int element(ELEMENT_PARAMS, long row, element_out* out)      1: there is a record, in *out
//   the same with records in plenty (flat_map):
//     long element_count(ELEMENT_PARAMS, long row)
//     long element_write(ELEMENT_PARAMS, long row, GLOBAL element_out* out)  returns how many
//   fold:   reducer_state, void accumulate_row(ELEMENT_PARAMS, long row, reducer_state* s)
//   group:  reducer_state, group_key (uint or ulong), group_value,
//           int group_row(ELEMENT_PARAMS, long row, group_key* key, group_value* value)
//           void accumulate(ELEMENT_PARAMS, reducer_state* s, group_value value)
//           In a known domain the key is the number itself, to be checked. group_value is uchar and
//           0 where the reducer doesn't look at values.
//   sort, top: for pass p: key_<p> (uint or ulong),
//           key_<p> key_of_<p>(ELEMENT_PARAMS, element_out record)
//           Pass 0 is the least significant; ascending order is what is wanted, of top, too.
//   scan:   element_out combine(ELEMENT_PARAMS, element_out a, element_out b)
#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "codegen/element/captured.h"
#include "codegen/element/read_bytes.h"
#include "devices/kernel.h"
#include "graph/node.h"

namespace pappus::codegen {

/// The texts of the programs that an element function is a part of: it and an operator's text. Each
/// is put together once. Thread-safe.
class program_texts {
 public:
  using text = std::shared_ptr<const std::string>;
  /// The text with these "#define" lines and this operator's text; made by make() if it is new.
  template <typename F>
  text of(std::string_view operator_path, std::string_view defines, F&& make) const {
    const std::lock_guard lock(mutex_);
    for (const auto& p : made_)
      if (p.operator_path == operator_path && p.defines == defines) return p.whole;
    return made_.emplace_back(entry{std::string(operator_path), std::string(defines), make()})
        .whole;
  }

 private:
  struct entry {
    std::string operator_path, defines;
    text whole;
  };
  mutable std::mutex mutex_;
  mutable std::vector<entry> made_;  // few
};

/// The device version of an element function; shared by all stages whose descriptions are equal.
struct element {
  std::vector<std::string> reasons;  ///< why there is no device version; empty: there is one
  std::string text;
  devices::legible_parts legible;      ///< of the text
  std::vector<byte_ranges> reads;      ///< per input: which bytes of its records are read
  captured_layout values;              ///< of values_t
  std::vector<std::string> functions;  ///< the users' functions in it: "nearest (nearest.cl)"
  std::vector<std::size_t> key_bytes;  ///< of group_key, or of key_<p> for each pass p
  bool needs_doubles = false;
  bool traps = false;      ///< functions may set *trap, when a check fails
  program_texts programs;  ///< that contain `text`
  bool possible() const noexcept { return reasons.empty(); }
};
using element_ptr = std::shared_ptr<const element>;

/// The device version of a node's stage: looked up once a node, made once a description
/// (element_cache.h). Thread-safe.
element_ptr element_of(const graph::node& n);

/// What the node's stage captured, laid out as element_of(n)->values. Targets of references are
/// missing: copy_references() adds them before each run.
std::shared_ptr<const captured_values> values_of(const graph::node& n);

}  // namespace pappus::codegen

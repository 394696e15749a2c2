// How a fused stage describes its element function to a generator of device code.
//
// Expressions know their structure and their types; the text is made by an untyped writer in src/.
// Nothing here runs unless a device could be used.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "pappus/detail/base/columns.h"

namespace pappus {

/// Device code that the user gave for a function. See pappus/device_code.h.
struct device_code {
  std::string text;    ///< the whole text, other functions and types included
  std::string origin;  ///< a file's name, or where in the program the text was given
  std::string name;    ///< of the function
};

}  // namespace pappus

namespace pappus::detail {

struct device_type;
enum class join_kind : std::uint8_t;  // join.h

struct device_field {
  std::string_view name;  ///< in device code
  std::size_t offset = 0;
  const device_type* type = nullptr;
};

/// A C++ type as device code knows it. Records whose fields Pappus can't see (private ones, more
/// than 64, those with bases) are defined by the user's device code under their unqualified C++
/// name, or are opaque bytes.
struct device_type {
  enum class kind : std::uint8_t { integer, floating, array, fields, record };
  kind what = kind::record;
  bool is_signed = false;
  std::size_t size = 0, align = 1;
  std::string_view cpp_name;
  std::span<const device_field> fields{};  ///< kind::fields: pair, indexed, keyed, reducers' states
  const device_type* element = nullptr;    ///< kind::array
};

/// A value that a call passes besides records, captured when the query was made. Whoever is given
/// it copies the bytes.
struct device_value {
  const void* data = nullptr;
  const device_type* type = nullptr;
};

/// A call of a function that has device code: name(arguments..., for each side: pointer and number
/// of rows..., values...).
struct device_call {
  const device_code* code = nullptr;
  int first_side = 0;
  std::span<const device_type* const> sides;
  std::span<const device_value> values;
  const device_type* result = nullptr;
  /// The function yields a range of name_count(...) results, of which number j, from 0, is
  /// name_at(..., j). What is described next happens once for each.
  bool range = false;
};

/// A call of a function that has a thunk, for which the compiler plugin may have made device code:
/// its parameters are the thunk's.
struct compiled_call {
  const char* descriptor = nullptr;  ///< of the thunk's slot; null: compiled without the plugin
  const char* unit = "";             ///< the translation unit that this description was compiled in
  device_value captures{};           ///< the function object; 0 bytes if it captures nothing
  int first_side = 0;
  std::span<const device_type* const> sides{};
  const device_type* result = nullptr;
  /// Where the function yields a range: the descriptor of the thunk that picks one result.
  /// `descriptor` is then that of the thunk that counts them.
  const char* pick = nullptr;
  bool range = false;
  /// What it reads of its one record, where its type tells; null: ask the descriptors.
  const byte_ranges* reads = nullptr;
};

/// Takes the description of an element function, operator by operator, in the order in which
/// records pass through them. Variables are numbers; no_variable stands for what can't be computed
/// on a device, and for what is computed from that.
class device_writer {
 public:
  using variable = int;
  static constexpr variable no_variable = -1;
  static constexpr variable no_value = -2;  ///< for reducers that don't look at values

  virtual ~device_writer() = default;

  /// The description of the stage's next operator begins; after the last element-wise one, that of
  /// the node's own. For messages, and comments in the text.
  virtual void begin() = 0;
  /// Says why the operator can't run on a device: "its function has no device code".
  /// \param of  what it would have been told of besides, any part of which it may look at
  virtual void refuse(std::string_view reason, variable of = no_variable) = 0;

  /// The record of an input of the stage in the row at hand.
  virtual variable load(int input, const device_type& type) = 0;
  /// `first` plus the row's number, as an integer of the type.
  virtual variable counter(std::int64_t first, const device_type& type) = 0;
  /// The row's number, over the whole stage; a long.
  virtual variable row_number() = 0;
  virtual variable call(const device_call& what, std::span<const variable> arguments) = 0;
  virtual variable call(const compiled_call& what, std::span<const variable> arguments) = 0;
  /// A C expression in which $0, $1 stand for the arguments, converted to the type.
  virtual variable compute(std::string_view expression, std::span<const variable> arguments,
                           const device_type& result) = 0;
  /// The bytes of a record from `offset`, as a value of the type.
  virtual variable field(variable record, std::size_t offset, const device_type& type) = 0;
  /// A pair or indexed record made of its fields.
  virtual variable make(const device_type& type, std::span<const variable> fields) = 0;
  /// Looks up the key whose parts were just described in the index that is a side of the stage.
  /// What is described next happens once for each match, in order, or as the kind of join says.
  /// \param row  of the build side, which is the next side; null for semi and anti joins.
  /// \returns    the match; of an outer join a pointer to it, null where there is none.
  virtual variable probe(int side, join_kind kind, const device_type* row) = 0;
  /// Rows for which the condition is 0 yield nothing.
  virtual void keep_if(variable condition) = 0;

  // What consumes the records.

  /// The stage yields this record.
  virtual void yield(variable record) = 0;
  /// A number that is a part of the key of a group, sort or join. The most significant comes first.
  virtual void key(variable part, bool descending) = 0;
  /// The group's key: a number below the size of a known domain, which indexes its table.
  virtual void domain_key(variable index) = 0;
  /// The stage's reducer gets this value. `accumulate` is C that adds value `x` to the state `*s`;
  /// in it $f stands for the name of the code's function.
  virtual void reduce(variable value, const device_type& state, std::string_view accumulate,
                      const device_code* code) = 0;
  /// The same; the descriptor is that of a thunk of the reducer's accumulate().
  virtual void reduce(variable value, const device_type& state, const char* descriptor) = 0;
  /// The same for a state that is one value: `expression` is C for the next state, of the state,
  /// $0, and the value, $1. If it is empty, begin_combine() and what follows it describe the next
  /// state.
  virtual void fold(variable value, const device_type& state, std::string_view expression) = 0;
  /// After yield(): the parts of a sort key that are now described are computed from this record.
  virtual variable begin_key(const device_type& record) = 0;
  /// After yield() or fold(): what is now described combines a running value `a`, this variable,
  /// and `b`, the next variable after it.
  virtual variable begin_combine(const device_type& a, const device_type& b) = 0;
  virtual void combined(variable value) = 0;
};

/// Describes a stage's element function and what the node does with the records.
using describe_element = void (*)(const void* element, device_writer& to);

}  // namespace pappus::detail

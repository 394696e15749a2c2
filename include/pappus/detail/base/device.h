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

namespace pappus {

/// Device C that the user gave for a function. See pappus/device_code.h.
struct device_code {
  std::string text;    ///< all of it, other functions and types included
  std::string origin;  ///< a file's name, or where in the program the text was given
  std::string name;    ///< the function's
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

/// A value that travels with a call: captured when the query was made. Copied by who is given it.
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
  /// The function yields a range of results: name_count(...) of them, the j-th of which is
  /// name_at(..., j). What follows happens once for each.
  bool range = false;
};

/// A call of a function that has a thunk, for which the compiler plugin may have made device code:
/// its parameters are the thunk's.
struct compiled_call {
  const char* descriptor = nullptr;  ///< of the slot; null: the plugin wasn't there
  const char* unit = "";             ///< the translation unit that this description was compiled in
  device_value captures{};           ///< the function object; of 0 bytes: none
  int first_side = 0;
  std::span<const device_type* const> sides{};
  const device_type* result = nullptr;
  /// The function yields a range of results. `descriptor` is of the thunk that counts them, this
  /// one of that which picks one.
  const char* pick = nullptr;
  bool range = false;
};

/// Takes the description of an element function, operator by operator, in the order in which
/// records pass through them. Variables are numbers; no_variable stands for what can't be computed
/// on a device (and every use of it).
class device_writer {
 public:
  using variable = int;
  static constexpr variable no_variable = -1;
  static constexpr variable no_value = -2;  ///< for reducers that don't look at values

  virtual ~device_writer() = default;

  /// The stage's next operator begins and, after the last, the node's own: for messages and
  /// comments.
  virtual void begin() = 0;
  /// Says why the operator can't run on a device: "its function has no device code".
  virtual void refuse(std::string_view reason) = 0;

  /// Row `row` of an input of the stage.
  virtual variable load(int input, const device_type& type) = 0;
  /// first + number of the row, as an integer of the type.
  virtual variable counter(std::int64_t first, const device_type& type) = 0;
  /// Number of the row, over the whole stage; long.
  virtual variable row_number() = 0;
  virtual variable call(const device_call& what, std::span<const variable> arguments) = 0;
  virtual variable call(const compiled_call& what, std::span<const variable> arguments) = 0;
  /// A C expression in which $0, $1 stand for the arguments, converted to the type.
  virtual variable compute(std::string_view expression, std::span<const variable> arguments,
                           const device_type& result) = 0;
  /// The bytes of a record from `offset`, as a value of the type.
  virtual variable field(variable record, std::size_t offset, const device_type& type) = 0;
  /// A pair or indexed record from its fields.
  virtual variable make(const device_type& type, std::span<const variable> fields) = 0;
  /// Looks up the key whose parts were just described in the index that is a side of the stage.
  /// What follows happens once for each match, in order, or as the kind of join says.
  /// \param row  of the build side, which is the next side; null for semi and anti joins.
  /// \returns    the match; of an outer join a pointer to it, null where there is none.
  virtual variable probe(int side, join_kind kind, const device_type* row) = 0;
  /// Rows for which the condition is 0 yield nothing.
  virtual void keep_if(variable condition) = 0;

  // What consumes the records.

  /// The stage's records as they come out.
  virtual void yield(variable record) = 0;
  /// A part of the key, or of a join's: a number. Parts come the most significant first.
  virtual void key(variable part, bool descending) = 0;
  /// The key is the number itself, in a table of a known domain.
  virtual void domain_key(variable index) = 0;
  /// `accumulate` is C that adds `x` to the state `*s`; $f stands for the name of the code's
  /// function.
  virtual void reduce(variable value, const device_type& state, std::string_view accumulate,
                      const device_code* code) = 0;
  /// The same by a thunk of the reducer's accumulate().
  virtual void reduce(variable value, const device_type& state, const char* descriptor) = 0;
  /// The same for a state of one value: it becomes a C expression of itself, $0, and `x`, $1.
  /// Without an expression it becomes what begin_combine() and what follows describe.
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

// Takes the description of an element function and keeps it as C statements.
//
// Statements refer to variables by name (v0, v1, ...); nothing is evaluated twice, and what isn't
// used the device's compiler removes. Conditions and loops are kept as such, because functions
// leave at them in different ways. Captured values are members of values_t, never constants in the
// text: other values need no new compilation.
#pragma once

#include <array>
#include <cstddef>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "codegen/plugin/descriptor.h"
#include "codegen/text/c_types.h"
#include "devices/kernel.h"
#include "graph/node.h"
#include "pappus/detail/base/device.h"

namespace pappus::codegen {

/// A mark in statements, before a member of values_t, for `values.` or, in a buffer, `values->`.
inline constexpr char values_mark = '\1';
/// A mark in statements for the address space of values_t: none or, in a buffer, GLOBAL.
inline constexpr char values_space_mark = '\2';

struct c_statement {
  enum class kind : std::uint8_t { line, condition, loop };
  kind what = kind::line;
  std::string text;   ///< a line; of a condition or loop, the variable that it tests or counts to
  std::string index;  ///< the name of a loop's counter
};
using c_body = std::vector<c_statement>;

/// A number that is a part of a key.
struct c_key_part {
  std::string bits;  ///< C expression, unsigned
  unsigned width = 0;
};

/// The bits of all parts together.
unsigned width_of(std::span<const c_key_part> parts);
/// The parts put together as an integer of a type, the first most significant.
std::string joined(std::span<const c_key_part> parts, std::string_view type);

struct c_key {
  c_body body;  ///< computes the parts from `record`
  std::vector<c_key_part> parts;
};

class element_writer final : public detail::device_writer {
 public:
  explicit element_writer(const graph::node& n);

  void begin() override;
  void refuse(std::string_view reason, variable of = no_variable) override;
  variable load(int input, const device_type& type) override;
  variable counter(std::int64_t first, const device_type& type) override;
  variable row_number() override;
  variable call(const detail::device_call& what, std::span<const variable> arguments) override;
  variable call(const detail::compiled_call& what, std::span<const variable> arguments) override;
  variable compute(std::string_view expression, std::span<const variable> arguments,
                   const device_type& result) override;
  variable field(variable record, std::size_t offset, const device_type& type) override;
  variable make(const device_type& type, std::span<const variable> fields) override;
  variable probe(int side, detail::join_kind kind, const device_type* row) override;
  void keep_if(variable condition) override;
  void yield(variable record) override;
  void key(variable part, bool descending) override;
  void domain_key(variable index) override;
  void reduce(variable value, const device_type& state, std::string_view accumulate,
              const device_code* code) override;
  void reduce(variable value, const device_type& state, const char* descriptor) override;
  void fold(variable value, const device_type& state, std::string_view expression) override;
  variable begin_key(const device_type& record) override;
  variable begin_combine(const device_type& a, const device_type& b) override;
  void combined(variable value) override;

  // What was described so far.
  struct captured {
    std::string name;
    const device_type* type;
    std::size_t offset;
  };
  struct reduction {
    std::string state, value_type, value;  ///< value: empty where the reducer doesn't look at it
    std::string accumulate;
  };
  struct combination {
    c_body body;
    std::string a_type, b_type, result;
  };

  std::vector<std::string> reasons;
  c_types types;
  std::vector<device_code> codes;  ///< the users' texts, each once, with the first function called
  std::vector<std::string> functions;
  std::vector<std::string> called;         ///< functions of `codes` that get given_prefix in calls
  bool calls_macros = false;               ///< a macro of `codes` is called like a function
  devices::legible_parts legible;          ///< of compiled functions
  std::vector<std::string> inputs, sides;  ///< their types; "": unknown
  std::vector<read_bytes> reads;           ///< per input
  std::vector<captured> values;
  std::size_t value_bytes = 0;
  /// A pointer at `offset` of a call's captures; its target, of `bytes`, is copied to `to` in
  /// values_t.
  struct reference {
    std::size_t offset, to, bytes;
  };
  std::vector<reference> references;
  bool traps = false;                          ///< there are functions that set *trap
  bool doubles = false;                        ///< in compiled functions
  std::map<std::string, std::string> helpers;  ///< functions that statements call, by name
  std::vector<std::string> helper_order;
  c_body body;
  std::string out, out_type;      ///< the record that yield() was given, and its type
  std::vector<c_key_part> group;  ///< parts of a group's key; of a join's, until probe() takes them
  std::vector<c_key> keys;        ///< of a sort, most significant first
  bool domain = false;            ///< group's only part is an index of a known domain
  std::optional<reduction> reduced;
  std::optional<combination> combination_of;

 private:
  struct value {
    std::string name, c_type;
    const device_type* type;
    std::string place{};      // C expression: where it lies in device memory; "": it doesn't
    bool waits = false;       // it is read at its first use
    bool is_pointer = false;  // it points to a record in device memory, or is null
    int input = -1;           // it is a record of this input; -1: of none
  };
  /// A variable that is about to be used: reads it if that was put off, and notes that all of its
  /// bytes are read.
  const value& at(variable v);
  /// The same, but only the bytes of `read` are noted.
  const value& at(variable v, const byte_range& read);
  const value& without_noting_reads(variable v);
  void note_reads(const compiled_function& function, std::size_t first_parameter,
                  std::span<const variable> arguments);
  bool known(std::span<const variable> arguments) const;
  variable add(const device_type& type, std::string name);
  variable declare(const device_type& type, std::string_view expression);
  variable read_later(const device_type& type, std::string place);
  void line(std::string text);
  std::string capture(std::string_view name, const device_type& type);
  std::string capture_of(const compiled_function& function, const device_type& type);
  std::string use(const device_code& code, std::string_view suffix = {});
  /// The arguments of a call: their types and C expressions.
  struct argument_list {
    std::vector<std::string> types, texts;
    void add(std::string type, std::string text) {
      types.push_back(std::move(type));
      texts.push_back(std::move(text));
    }
  };
  argument_list arguments_of(const detail::device_call& what, std::span<const variable> arguments);
  std::string call_text(const device_code& code, const std::string& function,
                        const argument_list& arguments, const device_type& result);
  std::string view_of(const value& record, std::size_t offset, const device_type& type);
  c_key_part part_of(const value& number, bool descending);
  // element_compiled.cpp: functions that the compiler plugin made.
  struct compiled_arguments {
    std::string list;
    std::vector<std::string> spaces;
  };
  const compiled_function* usable(const char* descriptor, std::string_view without);
  void add_pointer(compiled_arguments& to, variable v);
  compiled_arguments pointers_to(const detail::compiled_call& what,
                                 std::span<const variable> arguments,
                                 const compiled_function& function);
  std::string references_of(const compiled_function& function);
  std::string instance(const compiled_function& function, const std::vector<std::string>& spaces,
                       bool of_reducer);
  variable result_of(const compiled_function& function, const compiled_arguments& arguments,
                     const std::string& index, const device_type& type);
  void note_legible(const compiled_function& function, std::string_view name);
  void helper(const std::string& name, std::string text);
  /// Doesn't note what `accumulate` reads of the value: that is noted before or afterwards.
  void set_reduction(variable value, const device_type& state, std::string accumulate);

  const graph::node& node_;
  std::size_t operator_ = 0;  // which of node_.stage.ops is described, from 1; then the node's own
  std::string comment_;       // names the operator; written before its first statement
  c_body* to_;
  std::set<std::string, std::less<>> declared_;  // names that helpers declare at file scope
  variable folded_ = no_variable;  // the value that fold() leaves to begin_combine()'s operator
  std::vector<value> variables_;
  std::deque<device_type> types_of_references_;
};

}  // namespace pappus::codegen

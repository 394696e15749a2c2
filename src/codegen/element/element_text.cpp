// Writes down what element_writer was told: see element.h for the order of things.
//
// The text is C that OpenCL C 1.2 and CUDA C++ accept. It is meant to be read: names are those of
// the C++ types and functions, and each operator's statements stand under its name.
#include "codegen/element/element_text.h"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "base/text.h"
#include "codegen/text/c_text.h"
#include "devices/kernel.h"
#include "pappus/detail/base/integers.h"

namespace pappus::codegen {
namespace {

using statement_kind = c_statement::kind;

/// An integer plus a long has 8 bytes, a float plus a long has 4; a double plus a float has 8.
constexpr std::string_view result_checks =
    "// C converts numbers silently, so results are checked: their kind and their size.\n"
    "#define IS_INTEGER(call) (sizeof((call) + 0L) == 8 && sizeof((call) + 0.0f) == 4)\n"
    "#define RETURNS_INTEGER(name, call, size) \\\n"
    "  typedef char name[sizeof(call) == size && IS_INTEGER(call) ? 1 : -1]\n"
    "#define RETURNS_FLOAT(name, call, size) \\\n"
    "  typedef char name[sizeof(call) == size && !IS_INTEGER(call) ? 1 : -1]\n";

class text_writer {
 public:
  text_writer(const element_writer& from, element& to) : from_(from), to_(to) {}

  void types_and_codes();
  void values_and_parameters();
  void helpers();
  void record();
  void records();
  void fold();
  void group();
  void keys();
  void combine();

 private:
  template <typename... Args>
  void add(fmt::format_string<Args...> text, Args&&... args) {
    to_.text += fmt::format(text, std::forward<Args>(args)...);
  }
  void body(std::span<const c_statement> statements, std::string_view leave,
            std::span<const std::string> end);
  void append(std::string_view text, std::string_view indent = {});
  void statement(std::string_view indent, std::string_view text);
  void function(std::string_view head, std::span<const c_statement> statements,
                std::string_view leave, std::span<const std::string> end,
                std::string_view result = {});
  void accumulate();
  std::map<std::string, std::string, std::less<>> names_in_codes() const;

  bool values_in_buffer() const { return to_.values.bytes > devices::argument_bytes_max; }

  const element_writer& from_;
  element& to_;
  std::vector<std::string_view> tokens_;
};

/// What generated text calls that which users' texts call otherwise.
std::map<std::string, std::string, std::less<>> text_writer::names_in_codes() const {
  auto names = from_.types.names_in(tokens_);
  const auto add_given = [&](const std::string& name) {
    if (!is_member(name) && !(names.contains(name) && defines_type(tokens_, name)))
      names[name] = std::string(given_prefix) + name;
  };
  for (const auto& name : from_.called) add_given(name);
  // What macros stand for is looked up where they are used, outside of the texts. And texts that
  // overload functions may do so with the language's.
  if (from_.calls_macros || from_.types.has_macros(tokens_)) return names;
  for (const auto& code : from_.codes)
    if (code.text.find("overloadable") == code.text.npos)
      std::ranges::for_each(declared_names(code.text), add_given);
  return names;
}

void text_writer::types_and_codes() {
  for (const auto& code : from_.codes) {
    const auto more = tokens_of(code.text);
    tokens_.insert(tokens_.end(), more.begin(), more.end());
  }
  const auto types = from_.types.define(tokens_);
  to_.text += types.before;
  const auto names = names_in_codes();
  for (const auto& [own, generated] : names) add("#define {} {}\n", own, generated);
  for (const auto& code : from_.codes) {
    const auto origin = fmt::format("#line 1 {}", base::quoted(code.origin));
    to_.legible.lines.push_back(origin);
    add("{}\n{}\n", origin, code.text);
  }
  if (!from_.codes.empty()) add("#line 1 \"element\"\n");
  for (const auto& [own, generated] : names) add("#undef {}\n", own);
  to_.text += types.after;
  to_.needs_doubles = from_.types.doubles() || from_.doubles || mentions(tokens_, "double");
}

void text_writer::values_and_parameters() {
  std::string parameters, arguments;
  const auto append = [&](const std::string& parameter, const std::string& argument) {
    parameters += parameter + ", ";
    arguments += argument + ", ";
  };
  for (std::size_t i = 0; i < from_.inputs.size(); ++i)
    append(fmt::format("GLOBAL const {}* in{}", from_.inputs[i], i), fmt::format("in{}", i));
  for (std::size_t i = 0; i < from_.sides.size(); ++i)
    append(fmt::format("GLOBAL const {0}* side{1}, long side{1}_rows", from_.sides[i], i),
           fmt::format("side{0}, side{0}_rows", i));
  if (!from_.values.empty()) {
    std::vector<c_member> members;
    std::size_t align = 1;
    for (const auto& value : from_.values) {
      members.push_back(from_.types.known_member(value.name, value.offset, *value.type));
      align = std::max(align, members.back().align);
    }
    to_.values.bytes = detail::round_up(from_.value_bytes, align);
    to_.text += struct_text("values_t", members, to_.values.bytes, align) +
                size_check("values_t", to_.values.bytes);
    append(values_in_buffer() ? "GLOBAL const values_t* values" : "values_t values", "values");
  }
  if (from_.traps) append("GLOBAL uint* trap", "trap");
  add("#define ELEMENT_PARAMS {}long first_row\n", parameters);
  add("#define ELEMENT_ARGS {}first_row\n", arguments);
}

void text_writer::helpers() {
  if (!from_.codes.empty()) to_.text += result_checks;
  for (const auto& name : from_.helper_order) append(from_.helpers.at(name));
}

/// With the marks of values_t replaced.
void text_writer::append(std::string_view text, std::string_view indent) {
  const bool in_buffer = values_in_buffer();
  to_.text += indent;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == values_mark)
      to_.text += in_buffer ? "values->" : "values.";
    else if (c != values_space_mark)
      to_.text += c;
    else if (in_buffer)
      to_.text += "GLOBAL";
    else if (text.substr(i + 1, 1) == " ")
      ++i;
    if (c == '\n') to_.text += indent;
  }
}

void text_writer::statement(std::string_view indent, std::string_view text) {
  append(text, indent);
  to_.text += '\n';
}

void text_writer::body(std::span<const c_statement> statements, std::string_view leave,
                       std::span<const std::string> end) {
  std::string indent = "  ";
  for (const auto& s : statements) {
    switch (s.what) {
      case statement_kind::line:
        statement(indent, s.text);
        break;
      case statement_kind::condition:
        add("{}if (!{}) {};\n", indent, s.text, indent.size() == 2 ? leave : "continue");
        break;
      case statement_kind::loop:
        add("{0}for (long {1} = 0; {1} < {2}; ++{1}) {{\n", indent, s.index, s.text);
        indent += "  ";
        break;
    }
  }
  for (const auto& text : end) statement(indent, text);
  while (indent.size() > 2) {
    indent.resize(indent.size() - 2);
    add("{}}}\n", indent);
  }
}

void text_writer::function(std::string_view head, std::span<const c_statement> statements,
                           std::string_view leave, std::span<const std::string> end,
                           std::string_view result) {
  add("\nDEVICE {} {{\n", head);
  if (result == "return count;") add("  long count = 0;\n");
  body(statements, leave, end);
  if (!result.empty()) add("  {}\n", result);
  add("}}\n");
}

void text_writer::record() {
  add("typedef {} element_out;\n", from_.out_type);
  const std::array end{"*out = " + from_.out + ";"};
  function("int element(ELEMENT_PARAMS, long row, element_out* out)", from_.body, "return 0", end,
           "return 1;");
}

void text_writer::records() {
  add("typedef {} element_out;\n", from_.out_type);
  // What follows the last loop can't change the number of records, unless it is a condition. Where
  // there is neither (behind functions of batches), it is 1.
  std::span<const c_statement> counting = from_.body;
  std::string counted = "++count;";
  const auto last = std::find_if(counting.rbegin(), counting.rend(),
                                 [](const auto& s) { return s.what != statement_kind::line; });
  if (last == counting.rend()) {
    counting = {};
  } else if (last->what == statement_kind::loop) {
    counted = fmt::format("if ({0} > 0) count += {0};", last->text);
    counting = counting.first(static_cast<std::size_t>(counting.rend() - last) - 1);
  }
  const std::array count_end{counted};
  function("long element_count(ELEMENT_PARAMS, long row)", counting, "return 0", count_end,
           "return count;");
  const std::array write_end{"out[count++] = " + from_.out + ";"};
  function("long element_write(ELEMENT_PARAMS, long row, GLOBAL element_out* out)", from_.body,
           "return 0", write_end, "return count;");
}

void text_writer::accumulate() {
  const auto& reduced = *from_.reduced;
  add("typedef {} reducer_state;\n", reduced.state);
  add("typedef {} group_value;\n", reduced.value_type);
  if (from_.combination_of) combine();
  add("\nDEVICE void accumulate(ELEMENT_PARAMS, reducer_state* s, group_value x) {{\n");
  if (!reduced.accumulate.empty()) statement("  ", reduced.accumulate);
  add("}}\n");
}

/// Of reducers that don't look at values: any.
std::string value_of(const element_writer::reduction& reduced) {
  return reduced.value.empty() ? "0" : reduced.value;
}

void text_writer::fold() {
  accumulate();
  const std::array end{fmt::format("accumulate(ELEMENT_ARGS, s, {});", value_of(*from_.reduced))};
  function("void accumulate_row(ELEMENT_PARAMS, long row, reducer_state* s)", from_.body, "return",
           end);
}

std::string_view key_type(unsigned width) { return width <= 32 ? "uint" : "ulong"; }

void text_writer::group() {
  const auto type = key_type(width_of(from_.group));
  to_.key_bytes = {type == "uint" ? std::size_t{4} : std::size_t{8}};
  add("typedef {} group_key;\n", type);
  accumulate();
  std::vector<std::string> end{fmt::format("*key = {};", joined(from_.group, "group_key"))};
  end.push_back(fmt::format("*value = {};", value_of(*from_.reduced)));
  function("int group_row(ELEMENT_PARAMS, long row, group_key* key, group_value* value)",
           from_.body, "return 0", end, "return 1;");
}

/// As few passes as possible, of at most 64 bits each; a key may have parts in two of them.
void text_writer::keys() {
  struct pass {
    std::vector<const c_key*> keys;
    std::vector<c_key_part> parts;
  };
  std::vector<pass> passes;  // most significant first
  for (const auto& key : from_.keys)
    for (const auto& part : key.parts) {
      if (passes.empty() || width_of(passes.back().parts) + part.width > 64) passes.emplace_back();
      auto& last = passes.back();
      if (last.keys.empty() || last.keys.back() != &key) last.keys.push_back(&key);
      last.parts.push_back(part);
    }
  std::ranges::reverse(passes);
  for (std::size_t p = 0; p < passes.size(); ++p) {
    const auto type = key_type(width_of(passes[p].parts));
    to_.key_bytes.push_back(type == "uint" ? 4 : 8);
    add("typedef {} key_{};\n", type, p);
    c_body statements;
    for (const auto* key : passes[p].keys)
      statements.insert(statements.end(), key->body.begin(), key->body.end());
    const std::array end{
        fmt::format("return {};", joined(passes[p].parts, fmt::format("key_{}", p)))};
    function(fmt::format("key_{0} key_of_{0}(ELEMENT_PARAMS, element_out record)", p), statements,
             {}, end);
  }
}

void text_writer::combine() {
  const auto& combination = *from_.combination_of;
  const std::array end{fmt::format("return {};", combination.result)};
  function(fmt::format("{0} combine(ELEMENT_PARAMS, {0} a, {1} b)", combination.a_type,
                       combination.b_type),
           combination.body, {}, end);
}

}  // namespace

void write_element(const element_writer& from, graph::element_use what, bool many, element& to) {
  to.legible = from.legible;
  text_writer text(from, to);
  text.types_and_codes();
  text.values_and_parameters();
  text.helpers();
  if (what == graph::element_use::fold) {
    text.fold();
  } else if (what == graph::element_use::group) {
    text.group();
  } else if (many) {
    text.records();
  } else {
    text.record();
    if (from.combination_of) text.combine();
  }
  if (!from.keys.empty()) text.keys();
  to.functions = from.functions;
  to.traps = from.traps;
}

}  // namespace pappus::codegen

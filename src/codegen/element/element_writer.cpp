#include "codegen/element/element_writer.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/embedded.h"
#include "codegen/text/c_text.h"
#include "pappus/detail/base/integers.h"
#include "pappus/detail/base/join.h"
#include "pappus/detail/fuse/device_type.h"

namespace pappus::codegen {
namespace {

using kind = device_type::kind;

/// $0, $1, ... by what they stand for.
std::string substituted(std::string_view text, std::span<const std::string> names) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '$' && i + 1 < text.size() && text[i + 1] >= '0' && text[i + 1] <= '9')
      out += names[static_cast<std::size_t>(text[++i] - '0')];
    else
      out += text[i];
  }
  return out;
}

void replace_all(std::string& text, std::string_view from, std::string_view to) {
  for (auto at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
}

std::string converted(const device_type& type, std::string_view c_type,
                      std::string_view expression) {
  if (is_bool(type)) return fmt::format("({}) != 0", expression);
  return fmt::format("({})({})", c_type, expression);
}

}  // namespace

element_writer::element_writer(const graph::node& n)
    : inputs(n.stage.inputs.size()),
      sides(n.stage.sides.size()),
      reads(n.stage.inputs.size()),
      node_(n),
      to_(&body) {}

void element_writer::begin() {
  ++operator_;
  const auto& ops = node_.stage.ops;
  comment_ = operator_ <= ops.size() ? std::string(ops[operator_ - 1].name) : "";
}

void element_writer::refuse(std::string_view reason, variable) {
  const auto& ops = node_.stage.ops;
  const bool fused = operator_ >= 1 && operator_ <= ops.size();
  auto text =
      fmt::format("{}: {}", fused ? ops[operator_ - 1].name : std::string_view(node_.name), reason);
  if (std::ranges::find(reasons, text) == reasons.end()) reasons.push_back(std::move(text));
}

bool element_writer::known(std::span<const variable> arguments) const {
  return std::ranges::none_of(arguments, [](variable v) { return v < 0; });
}

void element_writer::line(std::string text) {
  if (!comment_.empty()) to_->push_back({c_statement::kind::line, "// " + comment_, {}});
  comment_.clear();
  to_->push_back({c_statement::kind::line, std::move(text), {}});
}

element_writer::variable element_writer::add(const device_type& type, std::string name) {
  variables_.push_back({std::move(name), types.name(type), &type});
  return static_cast<variable>(variables_.size() - 1);
}

element_writer::variable element_writer::declare(const device_type& type,
                                                 std::string_view expression) {
  const auto v = add(type, fmt::format("v{}", variables_.size()));
  line(fmt::format("const {} {} = {};", at(v).c_type, at(v).name, expression));
  return v;
}

const element_writer::value& element_writer::at(variable v) {
  return at(v, {0, variables_[static_cast<std::size_t>(v)].type->size});
}

const element_writer::value& element_writer::at(variable v, const byte_range& read) {
  const auto input = variables_[static_cast<std::size_t>(v)].input;
  if (input >= 0) reads[static_cast<std::size_t>(input)].add(read);
  return without_noting_reads(v);
}

const element_writer::value& element_writer::without_noting_reads(variable v) {
  auto& known_value = variables_[static_cast<std::size_t>(v)];
  if (std::exchange(known_value.waits, false))
    line(fmt::format("const {} {} = *({});", known_value.c_type, known_value.name,
                     known_value.place));
  return known_value;
}

element_writer::variable element_writer::load(int input, const device_type& type) {
  inputs[static_cast<std::size_t>(input)] = types.name(type);
  const auto v = read_later(type, fmt::format("in{} + row", input));
  variables_.back().input = input;
  return v;
}

/// Functions that take a pointer are given the place itself.
element_writer::variable element_writer::read_later(const device_type& type, std::string place) {
  const auto v = add(type, fmt::format("v{}", variables_.size()));
  variables_.back().place = std::move(place);
  variables_.back().waits = true;
  return v;
}

element_writer::variable element_writer::row_number() {
  return declare(detail::device_type_of<std::int64_t>, "first_row + row");
}

element_writer::variable element_writer::counter(std::int64_t, const device_type& type) {
  const auto start = capture("first", detail::device_type_of<std::int64_t>);
  return declare(type, converted(type, types.name(type),
                                 fmt::format("(ulong){} + (ulong)(first_row + row)", start)));
}

/// Makes room for a value in values_t and returns how to read it.
std::string element_writer::capture(std::string_view name, const device_type& type) {
  const auto offset = detail::round_up(value_bytes, type.align);
  value_bytes = offset + type.size;
  values.push_back({fmt::format("{}_{}", name, values.size()), &type, offset});
  types.name(type);
  return values_mark + values.back().name;
}

/// Has the code's text compiled; returns what its function, with this behind its name, is called in
/// generated text. Macros keep their names, and so does what the text doesn't mention: functions of
/// the device's language, and names that macros put together.
std::string element_writer::use(const device_code& code, std::string_view suffix) {
  const auto shown = fmt::format("{} ({})", code.name, code.origin);
  if (std::ranges::find(functions, shown) == functions.end()) functions.push_back(shown);
  if (std::ranges::find(codes, code.text, &device_code::text) == codes.end()) codes.push_back(code);
  auto name = code.name + std::string(suffix);
  const auto tokens = tokens_of(code.text);
  calls_macros |= is_macro(tokens, name);
  if (!mentions(tokens, name) || is_macro(tokens, name) || is_member(name)) return name;
  if (std::ranges::find(called, name) == called.end()) called.push_back(name);
  return std::string(given_prefix) + name;
}

element_writer::argument_list element_writer::arguments_of(const detail::device_call& what,
                                                           std::span<const variable> arguments) {
  argument_list list;
  for (const auto v : arguments) list.add(at(v).c_type, at(v).name);
  auto side = static_cast<std::size_t>(what.first_side);
  for (const auto* type : what.sides) {
    sides[side] = types.name(*type);
    list.add(fmt::format("GLOBAL const {}*", sides[side]), fmt::format("side{}", side));
    list.add("long", fmt::format("side{}_rows", side));
    ++side;
  }
  for (const auto& value : what.values)
    list.add(types.name(*value.type),
             capture(std::string(given_prefix) + what.code->name, *value.type));
  return list;
}

/// The user's name of a function, for messages.
std::string_view own_name(std::string_view function) {
  if (function.starts_with(given_prefix)) function.remove_prefix(given_prefix.size());
  return function;
}

/// Declares a user's function, which is about to be called, with the parameters that it is given: C
/// would convert numbers silently, but a second declaration must agree with the first. Errors in it
/// show the call's types in place of a file's name. The result is taken as it is.
///
/// Only clang, which most drivers are made of, can say that. Nothing for macros, nor for functions
/// that aren't the text's own or of which it has several.
/// \param where  what errors in the following lines show.
std::string declaration_text(const device_code& code, std::string_view function,
                             std::string_view call, std::span<const std::string> types,
                             std::string_view where) {
  if (code.text.find(code.name) == code.text.npos ||
      code.text.find("overloadable") != code.text.npos)
    return {};
  const auto list = fmt::format("({})", fmt::join(types, ", "));
  return fmt::format(
      "#if defined(__clang__) && !defined({0})\n#line 1 \"the call {4}{1}\"\n"
      "  __typeof__({2}) {0}{1};\n#line 2 \"{3}\"\n#endif\n",
      function, list, call, where, own_name(function));
}

/// Calls a user's function by way of one that has exactly the signature that C++ expects. Errors in
/// it show the function's name in place of a file's, and its result can't be converted silently.
std::string element_writer::call_text(const device_code& code, const std::string& function,
                                      const argument_list& arguments, const device_type& result) {
  std::string parameters, passed;
  for (std::size_t i = 0; i < arguments.types.size(); ++i) {
    parameters += fmt::format("{}{} p{}", i == 0 ? "" : ", ", arguments.types[i], i);
    passed += fmt::format("{}p{}", i == 0 ? "" : ", ", i);
  }
  const auto c_type = types.name(result);
  const auto call = fmt::format("{}({})", function, passed);
  const auto where = fmt::format("the call of {}", own_name(function));
  auto text = declaration_text(code, function, call, arguments.types, where);
  if (is_number(result) && !is_bool(result))
    text += fmt::format("  RETURNS_{}({}_must_return_{}, {}, {});\n",
                        result.what == kind::integer ? "INTEGER" : "FLOAT", function, c_type, call,
                        result.size);
  text = fmt::format("({}) {{\n{}  return {}{};\n}}\n#line 1 \"element\"\n", parameters, text, call,
                     is_bool(result) ? " != 0" : "");
  auto name = "call_" + function;
  for (int i = 2;; ++i) {  // a function may be called with several types, as macros can be
    auto whole = fmt::format("#line 1 \"{}\"\nDEVICE {} {}{}", where, c_type, name, text);
    const auto known = helpers.find(name);
    if (known == helpers.end())
      helper(name, std::move(whole));
    else if (known->second != whole) {
      name = fmt::format("call_{}_{}", function, i);
      continue;
    }
    break;
  }
  std::string list;
  for (const auto& argument : arguments.texts) list += (list.empty() ? "" : ", ") + argument;
  return fmt::format("{}({})", name, list);
}

element_writer::variable element_writer::call(const detail::device_call& what,
                                              std::span<const variable> arguments) {
  if (!known(arguments)) {
    use(*what.code);
    return no_variable;
  }
  if (!comment_.empty()) comment_ += ": " + what.code->name;
  auto list = arguments_of(what, arguments);
  if (!what.range)
    return declare(*what.result, call_text(*what.code, use(*what.code), list, *what.result));
  const auto number = variables_.size();
  line(fmt::format("const long n{} = {};", number,
                   call_text(*what.code, use(*what.code, "_count"), list,
                             detail::device_type_of<std::int64_t>)));
  const auto index = fmt::format("j{}", number);
  to_->push_back({c_statement::kind::loop, fmt::format("n{}", number), index});
  list.add("long", index);
  return declare(*what.result, call_text(*what.code, use(*what.code, "_at"), list, *what.result));
}

element_writer::variable element_writer::compute(std::string_view expression,
                                                 std::span<const variable> arguments,
                                                 const device_type& result) {
  if (!known(arguments)) return no_variable;
  std::vector<std::string> names;
  for (const auto v : arguments) names.push_back(at(v).name);
  return declare(result, converted(result, types.name(result), substituted(expression, names)));
}

element_writer::variable element_writer::make(const device_type& type,
                                              std::span<const variable> fields) {
  if (!known(fields)) return no_variable;
  std::vector<std::string> names;
  for (const auto field : fields) names.push_back(at(field).name);
  const auto v = add(type, fmt::format("v{}", variables_.size()));
  line(fmt::format("{} {};", at(v).c_type, at(v).name));
  for (std::size_t i = 0; i < fields.size(); ++i)
    line(fmt::format("{}.{} = {};", at(v).name, type.fields[i].name, names[i]));
  return v;
}

void element_writer::keep_if(variable condition) {
  if (!known({&condition, 1})) return;
  comment_.clear();
  to_->push_back({c_statement::kind::condition, at(condition).name, {}});
}

unsigned width_of(std::span<const c_key_part> parts) {
  return std::accumulate(parts.begin(), parts.end(), 0u,
                         [](unsigned sum, const auto& part) { return sum + part.width; });
}

std::string joined(std::span<const c_key_part> parts, std::string_view type) {
  std::string text;
  for (const auto& part : parts)
    text = text.empty() ? fmt::format("({}){}", type, part.bits)
                        : fmt::format("({} << {} | {})", text, part.width, part.bits);
  return text;
}

element_writer::variable element_writer::probe(int side, detail::join_kind kind,
                                               const device_type* row) {
  using detail::join_kind;
  const auto parts = std::exchange(group, {});
  const auto width = width_of(parts);
  if (width > 64) refuse("keys of more than 8 bytes are looked up on the CPU");
  if (parts.empty() || width > 64) return no_variable;
  helper("join_find", std::string(base::embedded("device_ops/text/join.cl")));
  sides[static_cast<std::size_t>(side)] = "join_index";
  const auto number = variables_.size();
  line(fmt::format("const join_entry m{} = join_find(side{}, {}, {});", number, side,
                   width <= 32 ? 4 : 8, joined(parts, "ulong")));
  if (row == nullptr) {
    keep_if(declare(detail::device_type_of<int>,
                    fmt::format("m{}.count {} 0", number, kind == join_kind::semi ? ">" : "==")));
    return no_variable;
  }
  sides[static_cast<std::size_t>(side) + 1] = types.name(*row);
  const bool outer = kind == join_kind::outer;
  auto count = fmt::format("m{}.count", number);
  if (outer) count = fmt::format("{0} > 0 ? {0} : 1", count);
  line(fmt::format("const long n{} = {};", number, count));
  to_->push_back({c_statement::kind::loop, fmt::format("n{}", number), fmt::format("j{}", number)});
  const auto match = fmt::format("side{0} + join_row(side{1}, m{2}, j{2})", side + 1, side, number);
  const auto pointer = add(*row, fmt::format("v{}", number));
  variables_.back().is_pointer = true;
  auto& type = variables_.back().c_type;
  type = fmt::format("GLOBAL const {}*", type);
  if (outer) {
    line(fmt::format("{} const v{} = m{}.count > 0 ? {} : 0;", type, number, number, match));
    return pointer;
  }
  line(fmt::format("{} const v{} = {};", type, number, match));
  return read_later(*row, fmt::format("v{}", number));
}

void element_writer::helper(const std::string& name, std::string text) {
  if (helpers.emplace(name, std::move(text)).second) helper_order.push_back(name);
}

element_writer::variable element_writer::field(variable record, std::size_t offset,
                                               const device_type& type) {
  if (!known({&record, 1})) return no_variable;
  const auto& of = at(record, {offset, type.size});
  if (offset + type.size > of.type->size) {
    refuse("its key has bit-fields");
    return no_variable;
  }
  const auto c_type = types.name(type);
  if (of.type->what == kind::fields)
    for (const auto& member : of.type->fields)
      if (member.offset == offset && types.name(*member.type) == c_type)
        return declare(type, fmt::format("{}.{}", of.name, member.name));
  if (of.type->what == kind::array && types.name(*of.type->element) == c_type &&
      offset % type.size == 0)
    return declare(type, fmt::format("{}.at[{}]", of.name, offset / type.size));
  return declare(type, view_of(of, offset, type));
}

/// A call of a function that reads bytes of a record: through a union, so that loads are aligned.
std::string element_writer::view_of(const value& record, std::size_t offset,
                                    const device_type& type) {
  const auto c_type = types.name(type);
  const auto name = fmt::format("part_{}_of_{}_at_{}", c_type, record.c_type, offset);
  const auto before = offset == 0 ? "" : fmt::format("uchar before[{}]; ", offset);
  const auto head = fmt::format("DEVICE {} {}({} record) {{\n", c_type, name, record.c_type);
  if (offset % types.align(type) == 0)
    helper(name, fmt::format("{}  union {{\n    {} whole;\n    struct {{ {}{} value; }} part;\n"
                             "  }} view;\n  view.whole = record;\n  return view.part.value;\n}}\n",
                             head, record.c_type, before, c_type));
  else
    helper(name, fmt::format(
                     "{}  union {{ {} whole; uchar bytes[{}]; }} from;\n"
                     "  union {{ {} whole; uchar bytes[{}]; }} to;\n  from.whole = record;\n"
                     "  for (int i = 0; i < {}; ++i) to.bytes[i] = from.bytes[{} + i];\n"
                     "  return to.whole;\n}}\n",
                     head, record.c_type, record.type->size, c_type, type.size, type.size, offset));
  return fmt::format("{}({})", name, record.name);
}

void element_writer::yield(variable record) {
  comment_.clear();
  if (!known({&record, 1})) return;
  out = at(record).name;
  out_type = at(record).c_type;
}

/// The bits of a float, ordered as floats are: detail/base/keys.h.
std::string ordered_text(bool wide) {
  return fmt::format(
      "DEVICE {0} {1}_bits({1} x) {{\n  union {{ {1} number; {0} bits; }} view;\n"
      "  view.number = x;\n  {0} bits = view.bits;\n"
      "  if ((bits & {2}) > {3}) bits = {4};  // NaN, of which there is one\n"
      "  if (bits == {5}) bits = 0;  // -0.0\n"
      "  return bits & {5} ? ~bits : bits | {5};\n}}\n",
      wide ? "ulong" : "uint", wide ? "double" : "float",
      wide ? "0x7ffffffffffffffful" : "0x7fffffffu", wide ? "0x7ff0000000000000ul" : "0x7f800000u",
      wide ? "0x7ff8000000000000ul" : "0x7fc00000u", wide ? "0x8000000000000000ul" : "0x80000000u");
}

c_key_part element_writer::part_of(const value& number, bool descending) {
  const auto& type = *number.type;
  const auto width = static_cast<unsigned>(type.size * 8);
  const bool wide = type.size == 8;
  const auto literal = [&](std::uint64_t bits) {
    return fmt::format("{:#x}{}", bits, wide ? "ul" : "u");
  };
  const std::uint64_t sign = std::uint64_t{1} << (width - 1), all = sign | (sign - 1);
  std::uint64_t flip = descending ? all : 0;
  std::string bits;
  if (type.what == kind::floating) {
    helper(wide ? "double_bits" : "float_bits", ordered_text(wide));
    bits = fmt::format("{}_bits({})", wide ? "double" : "float", number.name);
  } else {
    constexpr std::array<std::string_view, 9> of_bytes{"", "uchar", "ushort", "",     "uint",
                                                       "", "",      "",       "ulong"};
    bits = fmt::format("({}){}", of_bytes[type.size], number.name);
    if (type.is_signed) flip ^= sign;
  }
  if (flip != 0) bits = fmt::format("({} ^ {})", bits, literal(flip));
  return {std::move(bits), width};
}

void element_writer::key(variable part, bool descending) {
  if (!known({&part, 1})) return;
  (keys.empty() ? group : keys.back().parts).push_back(part_of(at(part), descending));
}

void element_writer::domain_key(variable index) {
  if (!known({&index, 1})) return;
  const auto& type = *at(index).type;
  domain = true;
  group = {{"(ulong)(long)" + at(index).name, type.size > 4 ? 64u : 32u}};
}

void element_writer::reduce(variable value, const device_type& state, std::string_view accumulate,
                            const device_code* code) {
  std::string text(accumulate);
  const auto function = code != nullptr ? use(*code) : std::string();
  replace_all(text, "$f", function);
  if (value == no_variable) return;
  reduced = {types.name(state), "uchar", {}, std::move(text)};
  if (value == no_value) return;
  reduced->value_type = at(value).c_type;
  reduced->value = at(value).name;
  if (code == nullptr) return;
  const std::array taken{reduced->state + "*", reduced->value_type};
  reduced->accumulate.insert(
      0, declaration_text(*code, function, function + "(s, x)", taken, "element"));
}

void element_writer::fold(variable value, const device_type& state, std::string_view expression) {
  if (value == no_variable) return;
  const auto& total = state.fields.front();
  const auto of_state = fmt::format("s->{}", total.name);
  if (expression.empty()) {
    folded_ = value;
    set_reduction(value, state, fmt::format("{0} = combine(ELEMENT_ARGS, {0}, x);", of_state));
  } else {
    const std::array names{of_state, std::string("x")};
    const auto next =
        converted(*total.type, types.name(*total.type), substituted(expression, names));
    reduce(value, state, fmt::format("{} = {};", of_state, next), nullptr);
  }
}

void element_writer::set_reduction(variable value, const device_type& state,
                                   std::string accumulate) {
  const auto& taken = without_noting_reads(value);
  reduced = {types.name(state), taken.c_type, taken.name, std::move(accumulate)};
}

element_writer::variable element_writer::begin_key(const device_type& record) {
  keys.emplace_back();
  to_ = &keys.back().body;
  return add(record, "record");
}

element_writer::variable element_writer::begin_combine(const device_type& a, const device_type& b) {
  combination_of = {.body = {}, .a_type = types.name(a), .b_type = types.name(b), .result = {}};
  to_ = &combination_of->body;
  const auto first = add(a, "a");
  add(b, "b");
  if (folded_ != no_variable)
    variables_.back().input = variables_[static_cast<std::size_t>(folded_)].input;
  return first;
}

void element_writer::combined(variable value) {
  if (known({&value, 1})) combination_of->result = at(value).name;
}

}  // namespace pappus::codegen

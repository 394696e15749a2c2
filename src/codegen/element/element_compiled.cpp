// Calls of functions that the compiler plugin made device code of. They take pointers to records,
// wherever these lie: an input's row is read where it is, in device memory, and only those bytes of
// it that the function looks at.
#include <algorithm>

#include <fmt/format.h>

#include "codegen/element/element_writer.h"
#include "codegen/text/c_text.h"
#include "pappus/detail/base/integers.h"
#include "pappus/detail/fuse/device_type.h"

namespace pappus::codegen {
namespace {

constexpr std::string_view global_space = "GLOBAL";

std::string function_not_compiled(std::string_view unit) {
  return fmt::format(
      "its function has no device code: {} was compiled without pappus_enable() (which takes "
      "clang; or give it some with with_device_code)",
      unit.substr(unit.rfind('/') + 1));
}
constexpr std::string_view reducer_not_compiled =
    "its reducer has no device code (compile it with clang and pappus_enable(), or give it a "
    "static member on_device())";

}  // namespace

/// Null where there is no device code, and then the reasons are told.
/// \param without  the reason where the compiler plugin never saw it.
const compiled_function* element_writer::usable(const char* descriptor, std::string_view without) {
  if (descriptor == nullptr) {
    refuse(without);
    return nullptr;
  }
  const auto& function = compiled_function_of(descriptor);
  if (!function.problem.empty()) refuse(function.problem);
  for (const auto& reason : function.reasons) refuse(reason);
  if (!function.problem.empty() || !function.reasons.empty()) return nullptr;
  traps |= function.traps;
  doubles |= function.doubles;
  return &function;
}

void element_writer::add_pointer(compiled_arguments& to, variable v) {
  const auto& variable = variables_[static_cast<std::size_t>(v)];
  if (variable.is_pointer || !variable.place.empty()) {
    to.spaces.emplace_back(global_space);
    to.list += fmt::format("(GLOBAL const uchar*)({}), ",
                           variable.is_pointer ? variable.name : variable.place);
  } else {
    to.spaces.emplace_back();
    to.list += fmt::format("(const uchar*)&{}, ", without_noting_reads(v).name);
  }
}

std::string element_writer::capture_of(const compiled_function& function, const device_type& type) {
  auto read = capture(std::string(compiled_prefix) + function.name, type);
  if (!function.source.empty()) legible.names.push_back(values.back().name);
  return read;
}

element_writer::compiled_arguments element_writer::pointers_to(const detail::compiled_call& what,
                                                               std::span<const variable> arguments,
                                                               const compiled_function& function) {
  compiled_arguments passed;
  passed.spaces.emplace_back(1, values_space_mark);
  if (what.captures.type->size > 0)
    passed.list += fmt::format("({} const uchar*)&{}, ", values_space_mark,
                               capture_of(function, *what.captures.type));
  for (const auto v : arguments) add_pointer(passed, v);
  std::string counts;
  auto side = static_cast<std::size_t>(what.first_side);
  for (const auto* type : what.sides) {
    sides[side] = types.name(*type);
    passed.spaces.emplace_back(global_space);
    passed.list += fmt::format("(GLOBAL const uchar*)side{}, ", side);
    counts += fmt::format("side{}_rows, ", side);
    ++side;
  }
  passed.list += counts;
  return passed;
}

/// \param first_parameter  the thunk's, of the arguments.
void element_writer::note_reads(const compiled_function& function, std::size_t first_parameter,
                                std::span<const variable> arguments) {
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const auto input = variables_[static_cast<std::size_t>(arguments[i])].input;
    if (input < 0) continue;
    auto& read = reads[static_cast<std::size_t>(input)];
    const auto found = function.reads.find(first_parameter + i);
    if (found == function.reads.end())
      read.add_all();
    else
      for (const auto& range : found->second) read.add(range);
  }
}

/// What follows the thunk's own parameters.
std::string element_writer::references_of(const compiled_function& function) {
  std::string passed;
  for (const auto& reference : function.references) {
    // A record's size is a multiple of its alignment; of the last one's padding nothing is read.
    const auto size = detail::round_up(reference.bytes, reference.align);
    const auto& type = types_of_references_.emplace_back(
        device_type{.size = size, .align = reference.align, .cpp_name = "captured"});
    const auto name = capture_of(function, type);
    references.push_back({reference.offset, values.back().offset, reference.bytes});
    passed += fmt::format(", ({} const uchar*)&{}", values_space_mark, name);
  }
  if (function.traps) passed += ", trap";
  return passed;
}

/// Its comments, which tell lines of the source, and of a lambda the names that it declares at file
/// scope, for these have its line.
void element_writer::note_legible(const compiled_function& function, std::string_view name) {
  for (const auto& suffix : function.suffixes) declared_.insert(fmt::format("{}{}", name, suffix));
  for (std::string_view rest = function.text; !rest.empty();) {
    const auto line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(line.size() + 1, rest.size()));
    const auto first = line.find_first_not_of(' ');
    if (first != line.npos && line.substr(first).starts_with("// "))
      legible.lines.emplace_back(line);
  }
  if (function.source.empty()) return;
  for (const auto& suffix : function.suffixes)
    legible.names.push_back(fmt::format("{}{}", name, suffix));
}

/// The name of the function's version for these address spaces. Functions of a reducer are called
/// like its type.
std::string element_writer::instance(const compiled_function& function,
                                     const std::vector<std::string>& spaces, bool of_reducer) {
  const std::string references(1, values_space_mark);
  const auto base =
      fmt::format("{}{}{}", compiled_prefix, function.name, of_reducer ? "_accumulate" : "");
  const auto declares_anew = [&](std::string_view name) {
    return std::ranges::all_of(function.suffixes, [&](const std::string& suffix) {
      return !declared_.contains(fmt::format("{}{}", name, suffix));
    });
  };
  for (int i = 1;; ++i) {
    auto name = i == 1 ? base : fmt::format("{}_{}", base, i);
    auto text = instance_of(function, name, spaces, references);
    const auto known = helpers.find(name);
    if (known == helpers.end()) {
      if (!declares_anew(name)) continue;  // another function is called like this one's table
      note_legible(function, name);
      helper(name, std::move(text));
    } else if (known->second != text)
      continue;
    const auto shown = fmt::format("{} ({})", function.name, function.source);
    if (std::ranges::find(functions, shown) == functions.end()) functions.push_back(shown);
    return name;
  }
}

/// \param index  which element of a range; empty: none
element_writer::variable element_writer::result_of(const compiled_function& function,
                                                   const compiled_arguments& arguments,
                                                   const std::string& index,
                                                   const device_type& type) {
  const auto name = instance(function, arguments.spaces, false);
  const auto last = references_of(function);
  const auto v = add(type, fmt::format("v{}", variables_.size()));
  // A function that traps leaves no result.
  line(fmt::format("{} {}{};", at(v).c_type, at(v).name, function.traps ? " = {0}" : ""));
  line(fmt::format("{}({}{}(uchar*)&{}{});", name, arguments.list, index, at(v).name, last));
  return v;
}

element_writer::variable element_writer::call(const detail::compiled_call& what,
                                              std::span<const variable> arguments) {
  const auto* function = usable(what.descriptor, function_not_compiled(what.unit));
  const auto* pick = what.range && function != nullptr
                         ? usable(what.pick, function_not_compiled(what.unit))
                         : function;
  if (function == nullptr || pick == nullptr || !known(arguments)) return no_variable;
  const auto passed = pointers_to(what, arguments, *function);
  constexpr std::size_t after_captures = 1;
  note_reads(*function, after_captures, arguments);
  note_reads(*pick, after_captures, arguments);
  if (!what.range) return result_of(*function, passed, "", *what.result);
  const auto count = result_of(*function, passed, "", detail::device_type_of<std::int64_t>);
  const auto index = fmt::format("j{}", variables_.size());
  to_->push_back({c_statement::kind::loop, at(count).name, index});
  return result_of(*pick, passed, index + ", ", *what.result);
}

void element_writer::reduce(variable value, const device_type& state, const char* descriptor) {
  const auto* function = usable(descriptor, reducer_not_compiled);
  if (function == nullptr || !known({&value, 1})) return;
  note_reads(*function, 0, {&value, 1});
  const auto name = instance(*function, {"", ""}, true);
  set_reduction(
      value, state,
      fmt::format("{}((const uchar*)&x, (uchar*)s{});", name, function->traps ? ", trap" : ""));
}

}  // namespace pappus::codegen

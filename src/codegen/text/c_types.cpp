#include "codegen/text/c_types.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cctype>

#include <fmt/format.h>

#include "codegen/text/c_text.h"
#include "pappus/detail/base/integers.h"

namespace pappus::codegen {
namespace {

using kind = device_type::kind;

bool same(const device_type& a, const device_type& b) {
  return &a == &b || (a.cpp_name == b.cpp_name && a.size == b.size && a.align == b.align);
}

std::string_view number_name(const device_type& type) {
  if (type.what == kind::floating) return type.size == 4 ? "float" : "double";
  constexpr std::array<std::string_view, 4> with_sign{"char", "short", "int", "long"};
  constexpr std::array<std::string_view, 4> without{"uchar", "ushort", "uint", "ulong"};
  return (type.is_signed ? with_sign
                         : without)[static_cast<std::size_t>(std::countr_zero(type.size))];
}

/// float4 and its like are types of the device's language, where users' texts don't define them.
bool is_vector(std::string_view name) {
  const auto digits = name.find_first_of("0123456789");
  if (digits == std::string_view::npos) return false;
  constexpr std::array<std::string_view, 10> of{"char", "uchar", "short", "ushort", "int",
                                                "uint", "long",  "ulong", "float",  "double"};
  constexpr std::array<std::string_view, 5> lanes{"2", "3", "4", "8", "16"};
  return std::ranges::find(of, name.substr(0, digits)) != of.end() &&
         std::ranges::find(lanes, name.substr(digits)) != lanes.end();
}

/// What follows the last :: outside of brackets.
std::string_view unqualified(std::string_view name) {
  std::size_t begin = 0;
  int depth = 0;
  for (std::size_t i = 0; i < name.size(); ++i) {
    if (std::string_view("<([{").find(name[i]) != std::string_view::npos) ++depth;
    if (std::string_view(">)]}").find(name[i]) != std::string_view::npos) --depth;
    if (depth == 0 && name.substr(i, 2) == "::") begin = i + 2;
  }
  return name.substr(begin);
}

/// As an identifier: "vec<float, 3>" is vec_float_3.
std::string identifier(std::string_view name) {
  std::string out;
  for (const char c : name) {
    if (std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_')
      out += c;
    else if (!out.empty() && out.back() != '_')
      out += '_';
  }
  while (!out.empty() && out.back() == '_') out.pop_back();
  if (out.empty() || std::isdigit(static_cast<unsigned char>(out.front())) != 0) out.insert(0, "_");
  return out;
}

/// What users' texts call a type that has `name` in generated text.
std::string_view name_in_text(std::string_view name) {
  if (name.starts_with(record_prefix)) name.remove_prefix(record_prefix.size());
  return name;
}

/// Whether these texts define the type by a name that they must keep, or have it of the device's
/// language.
bool keeps_name(const std::vector<std::string_view>& tokens, std::string_view name) {
  if (is_macro(tokens, name)) return true;
  const bool defined = defines_type(tokens, name);
  return defined ? is_member(name) : is_vector(name) && mentions(tokens, name);
}

}  // namespace

bool is_number(const device_type& type) {
  return type.what == kind::integer || type.what == kind::floating;
}

bool is_bool(const device_type& type) { return type.cpp_name == "bool"; }

std::string size_check(std::string_view name, std::size_t size) {
  return fmt::format("typedef char pappus_size_of_{2}_must_be_{1}[sizeof({0}) == {1} ? 1 : -1];\n",
                     name, size, name_in_text(name));
}

std::string struct_text(std::string_view name, std::span<const c_member> members, std::size_t size,
                        std::size_t align) {
  std::string text = "typedef struct {\n";
  std::size_t at = 0;
  const auto pad = [&](std::size_t bytes) {
    text += fmt::format("  uchar padding{}[{}];\n", at, bytes);
  };
  for (const auto& m : members) {
    if (detail::round_up(at, m.align) != m.offset) pad(m.offset - at);
    text += fmt::format("  {} {};\n", m.type, m.name);
    at = m.offset + m.size;
  }
  if (detail::round_up(at, align) != size) pad(size - at);
  return text + fmt::format("}} {};\n", name);
}

std::size_t c_types::find(const device_type& type) {
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    const auto& known = *entries_[i].type;
    if (same(known, type)) return i;
  }
  return add(type);
}

std::string c_types::free_name(std::string wanted, const device_type& type) const {
  std::string name = wanted;
  for (int i = 2;; ++i) {
    const auto taken = std::ranges::find(entries_, name, &entry::name);
    if (taken == entries_.end()) return name;
    // Two opaque records of one size, or one struct of the user's for both.
    const auto& other = *taken->type;
    if (type.what == kind::record && other.what == kind::record && other.size == type.size &&
        other.align == type.align)
      return name;
    name = fmt::format("{}_{}", wanted, i);
  }
}

std::size_t c_types::add(const device_type& type) {
  entry added{&type, {}, {}};
  std::string wanted;
  if (type.what == kind::array) {
    wanted = fmt::format("array_{}_{}", name_in_text(name(*type.element)),
                         type.size / type.element->size);
    if (!is_number(*type.element)) added.parts = {find(*type.element)};
  } else if (type.what == kind::fields) {
    const auto base = unqualified(type.cpp_name);
    wanted = identifier(base.substr(0, base.find('<')));
    for (const auto& field : type.fields) {
      const auto part = name(*field.type);
      if (field.name != "index") (wanted += '_') += name_in_text(part);
      if (!is_number(*field.type)) added.parts.push_back(find(*field.type));
    }
  } else {
    wanted = identifier(unqualified(type.cpp_name));
  }
  added.name = free_name(std::string(record_prefix) + wanted, type);
  entries_.push_back(std::move(added));
  return entries_.size() - 1;
}

std::string c_types::name(const device_type& type) {
  if (is_number(type)) {
    doubles_ |= type.what == kind::floating && type.size == 8;
    return std::string(number_name(type));
  }
  return entries_[find(type)].name;
}

std::size_t c_types::align(const device_type& type) const {
  switch (type.what) {
    case kind::integer:
    case kind::floating:
      return type.size;
    case kind::array:
      return align(*type.element);
    case kind::fields: {
      std::size_t most = 1;
      for (const auto& field : type.fields) most = std::max(most, align(*field.type));
      return most;
    }
    case kind::record:
      break;
  }
  return std::min<std::size_t>(type.align, 8);
}

std::string c_types::known_name(const device_type& type) const {
  if (is_number(type)) return std::string(number_name(type));
  const auto known =
      std::ranges::find_if(entries_, [&](const entry& e) { return same(*e.type, type); });
  return known->name;
}

c_member c_types::known_member(std::string member_name, std::size_t offset,
                               const device_type& type) const {
  return {known_name(type), std::move(member_name), offset, type.size, align(type)};
}

std::map<std::string, std::string, std::less<>> c_types::names_in(
    const std::vector<std::string_view>& tokens) const {
  std::map<std::string, std::string, std::less<>> names;
  for (const auto& e : entries_)
    if (const auto own = name_in_text(e.name);
        mentions(tokens, own) && !is_member(own) && !keeps_name(tokens, own))
      names.emplace(own, e.name);
  return names;
}

bool c_types::has_macros(const std::vector<std::string_view>& tokens) const {
  return std::ranges::any_of(
      entries_, [&](const entry& e) { return is_macro(tokens, name_in_text(e.name)); });
}

std::string c_types::definition(const entry& of) const {
  const auto& type = *of.type;
  if (type.what == kind::array)
    return fmt::format("typedef struct {{\n  {} at[{}];\n}} {};\n", known_name(*type.element),
                       type.size / type.element->size, of.name);
  std::vector<c_member> members;
  if (type.what == kind::fields) {
    for (const auto& field : type.fields)
      members.push_back(known_member(std::string(field.name), field.offset, *field.type));
    return struct_text(of.name, members, type.size, align(type));
  }
  constexpr std::array<std::string_view, 4> words{"uchar", "ushort", "uint", "ulong"};
  const auto word = align(type);
  return fmt::format("typedef struct {{\n  {} words[{}];\n}} {};\n",
                     words[static_cast<std::size_t>(std::countr_zero(word))], type.size / word,
                     of.name);
}

c_types::definitions c_types::define(const std::vector<std::string_view>& tokens) const {
  definitions text;
  std::vector<bool> of_user(entries_.size());
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    const auto& e = entries_[i];
    const bool same_as_before =
        std::find_if(entries_.begin(), entries_.begin() + static_cast<std::ptrdiff_t>(i),
                     [&](const entry& other) { return other.name == e.name; }) !=
        entries_.begin() + static_cast<std::ptrdiff_t>(i);
    if (same_as_before) continue;
    const auto own_name = name_in_text(e.name);
    const bool kept = keeps_name(tokens, own_name);
    const bool defined = defines_type(tokens, own_name);
    of_user[i] =
        kept || defined || std::ranges::any_of(e.parts, [&](auto part) { return of_user[part]; });
    if (lacks_typedef(tokens, own_name))
      text.before += fmt::format("typedef struct {0} {0};\n", kept ? own_name : e.name);
    auto& to = of_user[i] ? text.after : text.before;
    if (kept)
      to += fmt::format("typedef {} {};\n", own_name, e.name);
    else if (!defined)
      to += definition(e);
    if (of_user[i]) to += size_check(e.name, e.type->size);
  }
  return text;
}

}  // namespace pappus::codegen

#include "demo/support/relations.h"

#include <array>
#include <string>

#include "demo/support/version.h"

namespace demo {
namespace {

constexpr std::string_view space = " \t\r\n";

std::string_view trim(std::string_view text) {
  const auto begin = text.find_first_not_of(space);
  if (begin == text.npos) return {};
  return text.substr(begin, text.find_last_not_of(space) - begin + 1);
}

/// Cuts the text up to `separator` off the front of `rest`.
std::string_view cut(std::string_view& rest, char separator) {
  const auto end = rest.find(separator);
  const auto part = rest.substr(0, end);
  rest.remove_prefix(end == rest.npos ? rest.size() : end + 1);
  return part;
}

[[noreturn]] void fail(std::string_view expected, std::string_view text) {
  throw relation_error("expected " + std::string(expected) + ", got \"" + std::string(text) + "\"");
}

void parse_constraint(std::string_view text, alternative& out) {
  text = trim(text);
  const auto end = text.find_first_not_of("<>=");
  out.op = text.substr(0, end);
  out.version = end == text.npos ? std::string_view() : trim(text.substr(end));
  for (const std::string_view op : {"<<", "<=", "=", ">=", ">>", "<", ">"})
    if (out.op == op && !out.version.empty()) return;
  fail("a version constraint like (>= 1.0)", text);
}

alternative parse_alternative(std::string_view text) {
  alternative a;
  const auto whole = text = trim(text);
  const auto end = text.find_first_of(" \t\r\n([<");
  a.name = text.substr(0, end);
  text = end == text.npos ? std::string_view() : trim(text.substr(end));
  a.name = a.name.substr(0, a.name.find(':'));
  if (a.name.empty()) fail("a package name", whole);
  while (!text.empty()) {
    constexpr std::array<std::string_view, 3> brackets{"()", "[]", "<>"};
    std::size_t kind = 0;
    while (kind < brackets.size() && text.front() != brackets[kind][0]) ++kind;
    if (kind == brackets.size() || text.find(brackets[kind][1]) == text.npos)
      fail("name (version) [architectures]", whole);
    text.remove_prefix(1);
    const auto inside = cut(text, brackets[kind][1]);
    if (kind == 0) parse_constraint(inside, a);
    if (kind == 1) a.architectures = trim(inside);
    // Build profiles, <...>, say nothing about installing.
    text = trim(text);
  }
  return a;
}

/// Whether a name of an architecture list, "any", "linux-any", "amd64", means `architecture`.
bool means(std::string_view name, std::string_view architecture) {
  if (name.starts_with("any-")) name.remove_prefix(4);
  if (name.starts_with("linux-")) name.remove_prefix(6);
  return name == "any" || name == architecture;
}

}  // namespace

std::vector<clause> parse_relations(std::string_view field) {
  std::vector<clause> clauses;
  while (!field.empty()) {
    auto text = trim(cut(field, ','));
    if (text.empty()) continue;  // a comma too many, as after the last line of a folded field
    clause& alternatives = clauses.emplace_back();
    do {
      alternatives.push_back(parse_alternative(cut(text, '|')));
    } while (!text.empty());
  }
  return clauses;
}

bool applies(const alternative& a, std::string_view architecture) {
  if (a.architectures.empty()) return true;
  // A list names those it applies to, or with "!" those it doesn't.
  bool negated = false;
  for (auto rest = a.architectures; !rest.empty(); rest = trim(rest)) {
    auto name = rest.substr(0, rest.find_first_of(space));
    rest.remove_prefix(name.size());
    negated = name.starts_with('!');
    if (negated) name.remove_prefix(1);
    if (means(name, architecture)) return !negated;
  }
  return negated;
}

bool admits(const alternative& a, std::string_view version) {
  if (a.op.empty()) return true;
  const int order = compare_versions(version, a.version);
  if (a.op == "<<") return order < 0;
  if (a.op == "<=" || a.op == "<") return order <= 0;  // "<" is the old spelling of "<="
  if (a.op == "=") return order == 0;
  if (a.op == ">>") return order > 0;
  return order >= 0;
}

}  // namespace demo

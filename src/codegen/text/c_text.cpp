#include "codegen/text/c_text.h"

#include <algorithm>
#include <array>
#include <cctype>

namespace pappus::codegen {
namespace {

bool starts_word(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_'; }
bool in_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

std::size_t skipped_comment(std::string_view text, std::size_t at) {
  if (text.substr(at, 2) == "//") return std::min(text.find('\n', at), text.size());
  if (text.substr(at, 2) == "/*") {
    const auto end = text.find("*/", at + 2);
    return end == std::string_view::npos ? text.size() : end + 2;
  }
  return at;
}

std::size_t skipped_literal(std::string_view text, std::size_t at) {
  const char quote = text[at];
  for (++at; at < text.size() && text[at] != quote && text[at] != '\n'; ++at)
    if (text[at] == '\\') ++at;
  return std::min(at + 1, text.size());
}

}  // namespace

std::vector<std::string_view> tokens_of(std::string_view text) {
  std::vector<std::string_view> tokens;
  for (std::size_t at = 0; at < text.size();) {
    const char c = text[at];
    if (const auto after = skipped_comment(text, at); after != at) {
      at = after;
    } else if (c == '"' || c == '\'') {
      at = skipped_literal(text, at);
    } else if (in_word(c)) {
      const auto begin = at;
      while (at < text.size() && in_word(text[at])) ++at;
      tokens.push_back(text.substr(begin, at - begin));
    } else {
      if (std::isspace(static_cast<unsigned char>(c)) == 0) tokens.push_back(text.substr(at, 1));
      ++at;
    }
  }
  return tokens;
}

bool mentions(const std::vector<std::string_view>& tokens, std::string_view name) {
  return std::ranges::find(tokens, name) != tokens.end();
}

namespace {

/// typedef ... name; or typedef struct {...} name;
bool has_typedef(const std::vector<std::string_view>& tokens, std::string_view name) {
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (tokens[i] != "typedef") continue;
    int depth = 0;
    std::string_view last;
    for (++i; i < tokens.size() && (depth > 0 || tokens[i] != ";"); ++i) {
      if (tokens[i] == "{") ++depth;
      if (tokens[i] == "}") --depth;
      if (depth == 0 && starts_word(tokens[i].front())) last = tokens[i];
    }
    if (last == name) return true;
  }
  return false;
}

bool has_body(const std::vector<std::string_view>& tokens, std::string_view name) {
  for (std::size_t i = 0; i + 2 < tokens.size(); ++i)
    if ((tokens[i] == "struct" || tokens[i] == "union") && tokens[i + 1] == name &&
        tokens[i + 2] == "{")
      return true;
  return false;
}

}  // namespace

bool is_macro(const std::vector<std::string_view>& tokens, std::string_view name) {
  for (std::size_t i = 0; i + 2 < tokens.size(); ++i)
    if (tokens[i] == "#" && tokens[i + 1] == "define" && tokens[i + 2] == name) return true;
  return false;
}

bool defines_type(const std::vector<std::string_view>& tokens, std::string_view name) {
  return has_typedef(tokens, name) || has_body(tokens, name) || is_macro(tokens, name);
}

bool lacks_typedef(const std::vector<std::string_view>& tokens, std::string_view name) {
  return has_body(tokens, name) && !has_typedef(tokens, name);
}

std::string_view redefined_macro(const std::vector<std::string_view>& tokens) {
  constexpr std::array<std::string_view, 18> macros{
      "LIKE_CPU", "KERNEL",     "DEVICE",   "GLOBAL",          "CONSTANT",   "LOCAL",
      "BARRIER",  "ITEM",       "ITEMS",    "GROUP",           "GROUP_ITEM", "GROUP_ITEMS",
      "FOR_ROWS", "ROWS_BEGIN", "ROWS_END", "LOCAL_INCREMENT", "SET_TRAP",   "IN_CONSTANT"};
  for (std::size_t i = 0; i + 2 < tokens.size(); ++i)
    if (tokens[i] == "#" && (tokens[i + 1] == "define" || tokens[i + 1] == "undef") &&
        std::ranges::find(macros, tokens[i + 2]) != macros.end())
      return tokens[i + 2];
  return {};
}

bool is_member(std::string_view name) {
  constexpr std::array<std::string_view, 6> members{"first", "second", "index",
                                                    "value", "key",    "at"};
  return std::ranges::find(members, name) != members.end();
}

namespace {

/// Tells of each identifier of a text whether it is declared at file scope: outside of all brackets
/// it is followed by what ends a declarator or, behind struct, union or enum, by its body. Within
/// an enum's body all that isn't in a value is.
class scopes {
 public:
  bool declares(std::string_view token, std::string_view next) {
    const bool enumerator = in_enum_ && depth_ == 1 && !in_value_ && starts_word(token.front());
    const bool declarator = depth_ == 0 && !in_value_ && starts_word(token.front()) &&
                            std::string_view("(;=[,{").find(next) != std::string_view::npos;
    enter(token);
    return (enumerator || declarator) && !is_word(token);
  }

 private:
  /// C's own, and what only compilers call so, such as __attribute__.
  static bool is_word(std::string_view token) {
    constexpr std::array<std::string_view, 15> words{
        "struct", "union",  "enum",   "void",     "char",   "short",  "int",  "long",
        "float",  "double", "signed", "unsigned", "sizeof", "typeof", "const"};
    return std::ranges::find(words, token) != words.end() ||
           (token.size() > 1 && token[0] == '_' &&
            (token[1] == '_' || std::isupper(static_cast<unsigned char>(token[1])) != 0));
  }

  void enter(std::string_view token) {
    const bool outside = depth_ == (in_enum_ ? 1 : 0);
    if (token == "{" && depth_ == 0) in_enum_ = enum_begins_;
    if (outside && token == "=") in_value_ = true;
    if (std::string_view("([{").find(token) != std::string_view::npos) ++depth_;
    if (std::string_view(")]}").find(token) != std::string_view::npos) --depth_;
    if (depth_ == 0) in_enum_ = false;
    if (depth_ == (in_enum_ ? 1 : 0) && (token == "," || token == ";" || token == "}"))
      in_value_ = false;
    if (token == "enum") enum_begins_ = depth_ == 0;
    if (token == "{" || token == ";" || token == "(") enum_begins_ = false;
  }

  int depth_ = 0;
  bool in_value_ = false, in_enum_ = false, enum_begins_ = false;
};

std::string without_directives(std::string_view text) {
  std::string rest;
  bool goes_on = false;
  while (!text.empty()) {
    const auto line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    const auto first = line.find_first_not_of(" \t");
    const bool directive = goes_on || (first != line.npos && line[first] == '#');
    goes_on = directive && line.ends_with('\\');
    if (!directive) (rest += line) += '\n';
  }
  return rest;
}

}  // namespace

std::vector<std::string> declared_names(std::string_view text) {
  const auto code = without_directives(text);
  const auto tokens = tokens_of(code), all_tokens = tokens_of(text);
  std::vector<std::string> names;
  scopes within;
  for (std::size_t i = 0; i + 1 < tokens.size(); ++i)
    if (within.declares(tokens[i], tokens[i + 1]) && !is_macro(all_tokens, tokens[i]) &&
        std::ranges::find(names, tokens[i]) == names.end())
      names.emplace_back(tokens[i]);
  return names;
}

}  // namespace pappus::codegen

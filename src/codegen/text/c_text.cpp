#include "codegen/text/c_text.h"

#include <algorithm>
#include <array>
#include <cctype>

namespace pappus::codegen {
namespace {

bool starts_word(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_'; }
bool in_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

bool all_digits(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

/// v12, m4, in0, side3, side3_rows.
bool is_numbered_name(std::string_view name) {
  for (const std::string_view prefix : {"v", "n", "m", "j", "p", "in", "side"}) {
    if (!name.starts_with(prefix)) continue;
    auto rest = name.substr(prefix.size());
    if (prefix == "side" && rest.ends_with("_rows")) rest.remove_suffix(5);
    if (all_digits(rest)) return true;
  }
  return false;
}

/// Parameters and local variables of generated functions.
bool is_local_name(std::string_view name) {
  constexpr std::array<std::string_view, 13> names{"row", "first_row", "values", "out", "count",
                                                   "key", "value",     "record", "a",   "b",
                                                   "s",   "x",         "trap"};
  return std::ranges::find(names, name) != names.end() || is_numbered_name(name);
}

/// What a C++ type or function may be called and nothing in device code.
bool is_device_word(std::string_view name) {
  constexpr std::array<std::string_view, 20> words{
      "kernel",    "global",    "local",     "constant", "private", "half", "event_t",
      "sampler_t", "image2d_t", "image3d_t", "uchar",    "ushort",  "uint", "ulong",
      "restrict",  "generic",   "pipe",      "uniform",  "complex", "quad"};
  return std::ranges::find(words, name) != words.end();
}

/// OpenCL's functions, which drivers may have as macros. CUDA's are among them.
bool is_device_function(std::string_view name) {
  constexpr std::string_view names =
      " abs abs_diff acos acosh acospi add_sat all any asin asinh asinpi atan atan2 atan2pi atanh "
      "atanpi barrier bitselect cbrt ceil clamp clz copysign cos cosh cospi cross degrees distance "
      "dot erf erfc exp exp10 exp2 expm1 fabs fdim floor fma fmax fmin fmod fract frexp hadd hypot "
      "ilogb isequal isfinite isgreater isgreaterequal isinf isless islessequal islessgreater "
      "isnan "
      "isnormal isnotequal isordered isunordered ldexp length lgamma lgamma_r log log10 log1p log2 "
      "logb mad mad24 mad_hi mad_sat max maxmag mem_fence min minmag mix modf mul24 mul_hi nan "
      "nextafter normalize popcount pow pown powr prefetch printf radians read_mem_fence remainder "
      "remquo rhadd rint rootn rotate round rsqrt select shuffle shuffle2 sign signbit sin sincos "
      "sinh sinpi smoothstep sqrt step sub_sat tan tanh tanpi tgamma trunc upsample vec_step "
      "wait_group_events write_mem_fence ";
  return names.find(' ' + std::string(name) + ' ') != std::string_view::npos;
}

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

bool is_macro(const std::vector<std::string_view>& tokens, std::string_view name) {
  for (std::size_t i = 0; i + 2 < tokens.size(); ++i)
    if (tokens[i] == "#" && tokens[i + 1] == "define" && tokens[i + 2] == name) return true;
  return false;
}

}  // namespace

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

bool is_generated_name(std::string_view name) {
  constexpr std::array<std::string_view, 28> names{
      "element", "element_out", "element_count", "element_write", "accumulate_row", "values_t",
      "group_key", "reducer_state", "group_value", "group_row", "accumulate", "combine",
      "join_index", "join_entry", "join_mix", "join_find", "join_row", "IS_INTEGER",
      "RETURNS_INTEGER", "RETURNS_FLOAT", "ELEMENT_PARAMS", "ELEMENT_ARGS",
      // What the preludes call, and an overload would change.
      "get_global_id", "get_global_size", "get_group_id", "get_local_id", "get_local_size",
      "barrier"};
  if (std::ranges::find(names, name) != names.end()) return true;
  return (name.starts_with("key_of_") && all_digits(name.substr(7))) ||
         (name.starts_with("key_") && all_digits(name.substr(4)));
}

std::string device_name(std::string_view name) {
  const bool taken = is_generated_name(name) || is_local_name(name) || is_device_word(name) ||
                     is_device_function(name);
  return (taken ? "user_" : "") + std::string(name);
}

bool is_of_language(std::string_view name, std::string_view text) {
  return is_device_function(name) && !mentions(tokens_of(text), name);
}

}  // namespace pappus::codegen

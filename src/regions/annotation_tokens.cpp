#include "regions/annotation_tokens.h"

#include <algorithm>
#include <string>

#include <fmt/format.h>

#include "pappus/error.h"

namespace pappus::regions {
namespace {

constexpr std::string_view word = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz";

bool begins_letter(char c) {  // in UTF-8, rather than continuing one
  return (static_cast<unsigned char>(c) & 0xc0) != 0x80;
}

}  // namespace

bool is_number(token t) noexcept { return !t.empty() && t[0] >= '0' && t[0] <= '9'; }

bool is_name(token t) noexcept {
  return !t.empty() && !is_number(t) && word.find(t[0]) != token::npos;
}

token annotation_tokens::take() {
  const auto taken = next_;
  advance();
  return taken;
}

bool annotation_tokens::take_if(token wanted) {
  if (next_ != wanted) return false;
  advance();
  return true;
}

void annotation_tokens::expect(token wanted) {
  if (!take_if(wanted)) fail(fmt::format("\"{}\"", wanted));
}

void annotation_tokens::fail(std::string_view expected, token at) const {
  fail(expected, at, at.empty() ? "the end" : fmt::format("\"{}\"", at));
}

void annotation_tokens::fail(std::string_view expected, token at, std::string_view got) const {
  const auto before = text_.substr(0, static_cast<std::size_t>(at.data() - text_.data()));
  const auto start = before.rfind('\n') + 1;  // npos + 1 is 0
  const auto line = text_.substr(start, text_.find('\n', start) - start);
  std::string indent;  // as wide as what stands before the place
  for (const char c : before.substr(start))
    if (begins_letter(c)) indent += c == '\t' ? '\t' : ' ';
  throw usage_error(fmt::format("annotation, line {}: expected {}, got {}\n    {}\n    {}^",
                                1 + std::count(before.begin(), before.end(), '\n'), expected, got,
                                line, indent));
}

void annotation_tokens::advance() {
  at_ = std::min(text_.find_first_not_of(" \t\n\r", at_ + next_.size()), text_.size());
  const auto rest = text_.substr(at_);
  std::size_t length = rest.empty() ? 0 : 1;
  if (is_name(rest) || is_number(rest))
    length = std::min(rest.size(), rest.find_first_not_of(word));
  else if (rest.starts_with("=>"))
    length = 2;
  else
    while (length < rest.size() && !begins_letter(rest[length])) ++length;
  next_ = rest.substr(0, length);
}

}  // namespace pappus::regions

#include "formats/npy/npy_literal.h"

#include <charconv>
#include <system_error>

namespace pappus::formats {

void npy_literal::skip_spaces() {
  const std::size_t begin = rest_.find_first_not_of(" \t\n");
  rest_.remove_prefix(begin == std::string_view::npos ? rest_.size() : begin);
}

bool npy_literal::take(char wanted) {
  skip_spaces();
  if (!rest_.starts_with(wanted)) return false;
  rest_.remove_prefix(1);
  return true;
}

void npy_literal::expect(char wanted) {
  if (!take(wanted)) throw std::string("'") + wanted + "'";
}

std::string npy_literal::string() {
  skip_spaces();
  if (!rest_.starts_with('\'') && !rest_.starts_with('"')) throw std::string("a string");
  const char quote = rest_.front();
  std::string result;
  std::size_t at = 1;
  for (; at < rest_.size() && rest_[at] != quote; ++at) {
    if (rest_[at] == '\\' && at + 1 < rest_.size()) ++at;
    result += rest_[at];
  }
  if (at == rest_.size()) throw std::string("the end of a string");
  rest_.remove_prefix(at + 1);
  return result;
}

std::int64_t npy_literal::integer() {
  skip_spaces();
  std::int64_t value = 0;
  const auto [end, code] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), value);
  if (code != std::errc{} || value < 0) throw std::string("an extent from 0 to 2^63 - 1");
  rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
  take('L');  // Python 2 wrote long integers so
  return value;
}

bool npy_literal::boolean() {
  skip_spaces();
  for (const bool value : {true, false}) {
    const std::string_view word = value ? "True" : "False";
    if (!rest_.starts_with(word)) continue;
    rest_.remove_prefix(word.size());
    return value;
  }
  throw std::string("True or False");
}

std::vector<std::int64_t> npy_literal::extents() {
  std::vector<std::int64_t> result;
  expect('(');
  while (!take(')')) {
    result.push_back(integer());
    if (!take(',')) {
      expect(')');
      break;
    }
  }
  return result;
}

}  // namespace pappus::formats

#include "regions/expression.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <system_error>
#include <utility>
#include <vector>

#include "regions/box.h"

namespace pappus::regions {
namespace {

struct sign {
  operation what;
  std::string_view text;
  int binds;  // more: tighter; 0: written as a call
};

constexpr int atom = 9, unary = 3;

constexpr std::array signs{
    sign{operation::add, "+", 2},          sign{operation::subtract, "-", 2},
    sign{operation::multiply, "*", 3},     sign{operation::divide, "/", 3},
    sign{operation::modulo, "%", 3},       sign{operation::least, "min", 0},
    sign{operation::greatest, "max", 0},   sign{operation::shift_left, "<<", 1},
    sign{operation::shift_right, ">>", 1}, sign{operation::bits_and, "&", 1},
    sign{operation::bits_or, "|", 1},      sign{operation::bits_xor, "^", 1},
};

bool is_leaf(operation what) { return what <= operation::symbol; }

const sign& sign_of(operation what) {
  return *std::find_if(signs.begin(), signs.end(), [&](const sign& s) { return s.what == what; });
}

template <typename T>
std::optional<T> number(std::string_view text) {
  T value{};
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool all = code == std::errc() && end == text.data() + text.size();
  return all ? std::optional(value) : std::nullopt;
}

std::optional<term> term_of(std::string_view word) {
  for (const auto& s : signs)
    if (word == s.text) return term{s.what, 0};
  if (const auto value = number<std::int64_t>(word)) return term{operation::constant, *value};
  const bool named = word.starts_with('i') || word.starts_with('s');
  const auto which = named ? number<std::uint32_t>(word.substr(1)) : std::nullopt;
  if (!which || (word[0] == 'i' && *which >= rank_max)) return std::nullopt;
  return term{word[0] == 'i' ? operation::index : operation::symbol, *which};
}

std::string code_of(const term& t) {
  if (!is_leaf(t.what)) return std::string(sign_of(t.what).text);
  const auto value = std::to_string(t.value);
  return t.what == operation::index    ? "i" + value
         : t.what == operation::symbol ? "s" + value
                                       : value;
}

struct phrase {
  std::string text;
  int binds = atom;
  std::string inside(int at_least) const { return binds < at_least ? "(" + text + ")" : text; }
};

phrase leaf(const term& t, const formula_names& names) {
  if (t.what == operation::constant) return {std::to_string(t.value), t.value < 0 ? 2 : atom};
  const auto& known = t.what == operation::index ? names.indices : names.symbols;
  const auto which = static_cast<std::size_t>(t.value);
  if (which >= known.size()) return {code_of(t)};
  return {known[which]};
}

phrase joined(const sign& with, const phrase& a, const phrase& b) {
  const std::string text(with.text);
  if (with.binds == 0) return {text + "(" + a.text + "," + b.text + ")"};
  if (with.binds == 1) return {a.inside(atom) + text + b.inside(atom), 1};
  if (with.what == operation::subtract && a.text == "0") return {"-" + b.inside(unary), 2};
  // i+-1 is i-1.
  if (with.what == operation::add && b.binds == 2 && b.text.starts_with('-') &&
      b.text.find_first_of("+-", 1) == std::string::npos)
    return {a.inside(2) + b.text, 2};
  return {a.inside(with.binds) + text + b.inside(with.binds + 1), with.binds};
}

}  // namespace

expression expression::index(std::size_t dimension) {
  expression result;
  result.terms_[0] = {operation::index, static_cast<std::int64_t>(dimension)};
  return result;
}

expression expression::symbol(std::size_t number) {
  expression result;
  result.terms_[0] = {operation::symbol, static_cast<std::int64_t>(number)};
  return result;
}

expression expression::of(operation what, const expression& a, const expression& b) {
  expression result;
  result.terms_[0] = {what, 0};
  result.terms_.append(a.terms_);
  result.terms_.append(b.terms_);
  return result;
}

bool expression::mentions_index() const noexcept {
  return std::any_of(terms_.begin(), terms_.end(),
                     [](const term& t) { return t.what == operation::index; });
}

std::pair<expression, expression> expression::operands() const {
  std::size_t end = 1;  // of the first one
  for (std::size_t missing = 1; missing > 0; ++end)
    missing = is_leaf(terms_[end].what) ? missing - 1 : missing + 1;
  expression first, second;
  first.terms_.clear();
  second.terms_.clear();
  for (std::size_t i = 1; i < terms_.size(); ++i)
    (i < end ? first : second).terms_.push_back(terms_[i]);
  return {std::move(first), std::move(second)};
}

expression expression::with(std::span<const std::int64_t> symbols) const {
  expression result = *this;
  for (auto& t : result.terms_)
    if (t.what == operation::symbol && static_cast<std::size_t>(t.value) < symbols.size())
      t = {operation::constant, symbols[static_cast<std::size_t>(t.value)]};
  return result;
}

expression expression::renumbered(std::span<const std::size_t> symbols) const {
  expression result = *this;
  for (auto& t : result.terms_)
    if (t.what == operation::symbol && static_cast<std::size_t>(t.value) < symbols.size())
      t.value = static_cast<std::int64_t>(symbols[static_cast<std::size_t>(t.value)]);
  return result;
}

std::string expression::code() const {
  std::string result;
  for (const auto& t : terms_) result += (result.empty() ? "" : " ") + code_of(t);
  return result;
}

std::optional<expression> expression::parse(std::string_view code) {
  constexpr std::size_t terms_max = 1000;
  expression result;
  result.terms_.clear();
  std::size_t missing = 1;  // operands
  while (missing > 0) {
    const auto word = code.substr(0, code.find(' '));
    const auto one = term_of(word);
    if (!one || result.terms_.size() == terms_max) return std::nullopt;
    result.terms_.push_back(*one);
    missing = is_leaf(one->what) ? missing - 1 : missing + 1;
    if (word.size() == code.size()) break;
    code.remove_prefix(word.size() + 1);
    if (missing == 0) return std::nullopt;
  }
  return missing == 0 ? std::optional(result) : std::nullopt;
}

std::string text(const expression& formula, const formula_names& names) {
  std::vector<phrase> pending;
  const auto terms = formula.terms();
  for (auto t = terms.rbegin(); t != terms.rend(); ++t) {
    if (is_leaf(t->what)) {
      pending.push_back(leaf(*t, names));
      continue;
    }
    const auto a = std::move(pending.back());
    pending.pop_back();
    pending.back() = joined(sign_of(t->what), a, pending.back());
  }
  return pending.back().text;
}

}  // namespace pappus::regions

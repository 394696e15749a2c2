#include "formats/json/json_fault.h"

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <cstdint>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "formats/csv/csv_cell.h"

namespace pappus::formats {
namespace {

/// Keeps nothing but the first fault. The parser doesn't recurse, however deep a text is nested.
struct fault_finder final : nlohmann::json_sax<nlohmann::json> {
  bool found = false;
  std::size_t begin = 0;  ///< of the text that doesn't belong there, or somewhere in a word
  std::string why;

  bool null() override { return true; }
  bool boolean(bool) override { return true; }
  bool number_integer(std::int64_t) override { return true; }
  bool number_unsigned(std::uint64_t) override { return true; }
  bool number_float(double, const std::string&) override { return true; }
  bool string(std::string&) override { return true; }
  bool binary(binary_t&) override { return true; }
  bool start_object(std::size_t) override { return true; }
  bool key(std::string&) override { return true; }
  bool end_object() override { return true; }
  bool start_array(std::size_t) override { return true; }
  bool end_array() override { return true; }
  bool parse_error(std::size_t position, const std::string& last,
                   const nlohmann::detail::exception& problem) override {
    found = true;
    why = problem.what();
    const bool text = why.find("unexpected string literal") != why.npos;
    begin = position - std::min(position, text ? last.size() : std::size_t{1});
    return false;
  }
};

/// Whether numbers, true, false and null are made of it.
bool in_word(char c) noexcept {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '+' || c == '.';
}

/// Of "[..] parse error at line 1, column 7: syntax error while parsing value - invalid literal;
/// last read: '..'; expected '}'" what doesn't repeat the text.
std::string reason_in(std::string_view message) {
  constexpr std::string_view before = " - ", text = "; last read: ", wanted = "; expected ";
  if (const auto at = message.find(before); at != message.npos)
    message.remove_prefix(at + before.size());
  std::string reason(message.substr(0, message.find(text)));
  const auto expected = message.rfind(wanted);
  if (expected != message.npos && expected > reason.size()) reason += message.substr(expected);
  return reason;
}

}  // namespace

std::string fault_of(std::string_view line, std::string_view otherwise) {
  fault_finder finder;
  nlohmann::json::sax_parse(line.begin(), line.end(), &finder);
  // A number out of range is found by that parser, too, but is no fault of the text.
  if (!finder.found || finder.why.find("out_of_range") != finder.why.npos)
    return fmt::format("expected JSON, got a line that can't be parsed ({})", otherwise);
  auto begin = std::min(finder.begin, line.size());
  if (finder.why.find("literal") != finder.why.npos)
    while (begin > 0 && in_word(line[begin - 1])) --begin;
  const auto rest = base::trimmed(line.substr(begin));
  const bool cut = rest.empty();
  return fmt::format("expected JSON, got {} at byte {} ({}){}",
                     cut ? "the end of the line" : shown(rest), begin + 1, reason_in(finder.why),
                     cut ? "; an object has to be on one line, as jq -c . puts it" : "");
}

}  // namespace pappus::formats

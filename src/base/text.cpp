#include "base/text.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "pappus/error.h"

namespace pappus::base {

std::string bytes_text(double bytes) {
  constexpr std::array units{"B", "KiB", "MiB", "GiB", "TiB", "PiB"};
  std::size_t unit = 0;
  while (bytes >= 1024 && unit + 1 < units.size()) {
    bytes /= 1024;
    ++unit;
  }
  return bytes < 10 && bytes != std::floor(bytes) ? fmt::format("{:.1f} {}", bytes, units[unit])
                                                  : fmt::format("{:.0f} {}", bytes, units[unit]);
}

std::string count_text(std::int64_t n) {
  std::string digits = std::to_string(n);
  const std::ptrdiff_t first = n < 0 ? 1 : 0;
  for (auto i = static_cast<std::ptrdiff_t>(digits.size()) - 3; i > first; i -= 3)
    digits.insert(digits.begin() + i, ',');
  return digits;
}

std::string time_text(double seconds) {
  if (seconds >= 1) return fmt::format("{:.2f} s", seconds);
  if (seconds >= 1e-3) return fmt::format("{:.2f} ms", seconds * 1e3);
  return fmt::format("{:.1f} us", seconds * 1e6);
}

std::size_t parse_bytes(std::string_view text, std::string_view what) {
  const auto fail = [&] {
    return usage_error(fmt::format(
        "{}: expected a size such as 512MiB, 8GiB or 1000000 (bytes), got \"{}\"", what, text));
  };
  double number = 0;
  const auto [rest, status] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (status != std::errc{} || !(number >= 0)) throw fail();
  std::string unit;
  for (const char* c = rest; c != text.data() + text.size(); ++c)
    if (*c != ' ') unit += static_cast<char>(std::tolower(static_cast<unsigned char>(*c)));
  double factor = 1;
  if (!unit.empty() && unit != "b") {
    constexpr std::string_view letters = "kmgtp";
    const auto power = letters.find(unit[0]);
    const auto suffix = unit.substr(1);
    if (power == std::string_view::npos) throw fail();
    if (suffix == "b")
      factor = std::pow(1000.0, static_cast<double>(power + 1));
    else if (suffix.empty() || suffix == "ib")
      factor = std::pow(1024.0, static_cast<double>(power + 1));
    else
      throw fail();
  }
  if (number * factor >= 9.2e18) throw fail();
  return static_cast<std::size_t>(number * factor);
}

std::int64_t parse_count(std::string_view text, std::string_view what, std::int64_t least,
                         std::int64_t most) {
  std::int64_t number = 0;
  const auto end = text.data() + text.size();
  const auto [rest, status] = std::from_chars(text.data(), end, number);
  if (status != std::errc{} || rest != end || number < least || number > most)
    throw usage_error(most == std::numeric_limits<std::int64_t>::max()
                          ? fmt::format("{}: expected a whole number of at least {}, got \"{}\"",
                                        what, least, text)
                          : fmt::format("{}: expected a whole number from {} to {}, got \"{}\"",
                                        what, least, most, text));
  return number;
}

std::string_view trimmed(std::string_view text) noexcept {
  const std::size_t begin = text.find_first_not_of(" \t");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t") - begin + 1);
}

std::vector<std::string_view> comma_list(std::string_view list) {
  std::vector<std::string_view> names;
  for (std::size_t begin = 0; begin <= list.size();) {
    const std::size_t comma = std::min(list.find(',', begin), list.size());
    names.push_back(trimmed(list.substr(begin, comma - begin)));
    begin = comma + 1;
  }
  return names;
}

std::string quoted(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    if (c == '\n')
      out += "\\n";
    else
      out += static_cast<unsigned char>(c) < ' ' || c == 0x7f ? ' ' : c;
  }
  return out + '"';
}

}  // namespace pappus::base

#include "base/time_pattern.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <chrono>

#include <fmt/format.h>

#include "pappus/error.h"

namespace pappus::base {
namespace {

constexpr std::array<std::string_view, 12> months{"January",   "February", "March",    "April",
                                                  "May",       "June",     "July",     "August",
                                                  "September", "October",  "November", "December"};
constexpr std::int64_t second_micros = 1'000'000, day_micros = 86'400 * second_micros;

struct moment_parts {
  int year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0, micros = 0;
  bool twelve_hours = false, afternoon = false;
};

bool is_digit(char c) noexcept { return c >= '0' && c <= '9'; }

/// Takes a number of 1 to `most` digits from the front.
std::optional<int> take_number(std::string_view& text, std::size_t most) noexcept {
  int value = 0;
  std::size_t digits = 0;
  for (; digits < most && digits < text.size() && is_digit(text[digits]); ++digits)
    value = value * 10 + (text[digits] - '0');
  if (digits == 0) return std::nullopt;
  text.remove_prefix(digits);
  return value;
}

bool take_ignoring_case(std::string_view& text, std::string_view wanted) noexcept {
  if (text.size() < wanted.size()) return false;
  const bool same = std::ranges::equal(
      text.substr(0, wanted.size()), wanted, {},
      [](char c) { return std::tolower(static_cast<unsigned char>(c)); },
      [](char c) { return std::tolower(static_cast<unsigned char>(c)); });
  if (same) text.remove_prefix(wanted.size());
  return same;
}

/// The number of the month whose name, or its first three letters, is taken from the front.
std::optional<int> take_month(std::string_view& text) noexcept {
  for (std::size_t i = 0; i < months.size(); ++i)
    if (take_ignoring_case(text, months[i]) || take_ignoring_case(text, months[i].substr(0, 3)))
      return static_cast<int>(i) + 1;
  return std::nullopt;
}

std::optional<int> take_fraction(std::string_view& text) noexcept {
  int value = 0, digits = 0;
  while (digits < 9 && !text.empty() && is_digit(text.front())) {
    if (digits < 6) value = value * 10 + (text.front() - '0');
    text.remove_prefix(1);
    ++digits;
  }
  if (digits == 0) return std::nullopt;
  for (; digits < 6; ++digits) value *= 10;
  return value;
}

bool take_into(int& value, std::optional<int> taken) noexcept {
  if (taken) value = *taken;
  return taken.has_value();
}

bool take_conversion(char conversion, std::string_view& text, moment_parts& to) noexcept {
  switch (conversion) {
    case 'Y':
      return take_into(to.year, take_number(text, 4));
    case 'y':
      if (!take_into(to.year, take_number(text, 2))) return false;
      to.year += to.year < 69 ? 2000 : 1900;
      return true;
    case 'm':
      return take_into(to.month, take_number(text, 2));
    case 'b':
    case 'B':
      return take_into(to.month, take_month(text));
    case 'd':
      return take_into(to.day, take_number(text, 2));
    case 'e':
      if (text.starts_with(' ')) text.remove_prefix(1);
      return take_into(to.day, take_number(text, 2));
    case 'H':
      return take_into(to.hour, take_number(text, 2));
    case 'I':
      to.twelve_hours = true;
      return take_into(to.hour, take_number(text, 2)) && to.hour >= 1 && to.hour <= 12;
    case 'M':
      return take_into(to.minute, take_number(text, 2));
    case 'S':
      return take_into(to.second, take_number(text, 2));
    case 'f':
      return take_into(to.micros, take_fraction(text));
    default:  // p
      to.afternoon = take_ignoring_case(text, "PM");
      return to.afternoon || take_ignoring_case(text, "AM");
  }
}

char* digits(int value, int count, char* at) noexcept {
  for (int i = count - 1; i >= 0; --i, value /= 10) at[i] = static_cast<char>('0' + value % 10);
  return at + count;
}

char* print_conversion(char conversion, const moment_parts& of, char* at) noexcept {
  const auto month = months[static_cast<std::size_t>(of.month - 1)];
  switch (conversion) {
    case 'Y':
      return digits(of.year, 4, at);
    case 'y':
      return digits(of.year % 100, 2, at);
    case 'm':
      return digits(of.month, 2, at);
    case 'b':
      return std::ranges::copy(month.substr(0, 3), at).out;
    case 'B':
      return std::ranges::copy(month, at).out;
    case 'd':
      return digits(of.day, 2, at);
    case 'e':
      if (of.day >= 10) return digits(of.day, 2, at);
      *at++ = ' ';
      return digits(of.day, 1, at);
    case 'H':
      return digits(of.hour, 2, at);
    case 'I':
      return digits((of.hour + 11) % 12 + 1, 2, at);
    case 'M':
      return digits(of.minute, 2, at);
    case 'S':
      return digits(of.second, 2, at);
    case 'f':
      return digits(of.micros, 6, at);
    default:  // p
      return std::ranges::copy(std::string_view(of.hour < 12 ? "AM" : "PM"), at).out;
  }
}

}  // namespace

time_pattern::time_pattern(std::string_view pattern, std::string_view what, bool time)
    : text_(pattern) {
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    if (pattern[i] != '%')
      items_.push_back({0, pattern[i]});
    else
      add(++i < pattern.size() ? pattern[i] : '\0', what, time);
  }
  check(what);
}

void time_pattern::add(char conversion, std::string_view what, bool time) {
  constexpr std::string_view of_day = "YymbBde", of_time = "HIpMSf";
  const auto all = [&](std::string_view pattern) {
    for (std::size_t i = 0; i < pattern.size(); ++i)
      if (pattern[i] == '%')
        add(pattern[++i], what, time);
      else
        items_.push_back({0, pattern[i]});
  };
  if (conversion == '%') {
    items_.push_back({0, '%'});
  } else if (conversion == 'F') {
    all("%Y-%m-%d");
  } else if (conversion == 'T' && time) {
    all("%H:%M:%S");
  } else if (conversion != '\0' && (of_day.find(conversion) != of_day.npos ||
                                    (time && of_time.find(conversion) != of_time.npos))) {
    items_.push_back({conversion, 0});
  } else {
    throw usage_error(fmt::format(
        "{}: expected conversions among %Y %y %m %b %B %d %e %F{} and %%, got \"%{}\" in \"{}\"",
        what, time ? " %H %I %p %M %S %f %T" : "",
        conversion != '\0' ? std::string(1, conversion) : "", text_));
  }
}

void time_pattern::check(std::string_view what) const {
  const auto has = [&](std::string_view any) {
    return std::ranges::any_of(items_, [&](const item& one) {
      return one.conversion != 0 && any.find(one.conversion) != any.npos;
    });
  };
  if (has("Yy") && has("mbB") && has("de") && has("I") == has("p")) return;
  throw usage_error(fmt::format(
      "{}: expected a year (%Y), a month (%m), a day (%d), and %p where there is %I, got \"{}\"",
      what, text_));
}

std::optional<std::int64_t> time_pattern::parse(std::string_view text) const noexcept {
  moment_parts parts;
  for (const auto& one : items_) {
    if (one.conversion != 0) {
      if (!take_conversion(one.conversion, text, parts)) return std::nullopt;
    } else {
      if (!text.starts_with(one.literal)) return std::nullopt;
      text.remove_prefix(1);
    }
  }
  if (!text.empty()) return std::nullopt;
  if (parts.twelve_hours) parts.hour = parts.hour % 12 + (parts.afternoon ? 12 : 0);
  const std::chrono::year_month_day day{std::chrono::year{parts.year},
                                        std::chrono::month{static_cast<unsigned>(parts.month)},
                                        std::chrono::day{static_cast<unsigned>(parts.day)}};
  if (!day.ok() || parts.hour > 23 || parts.minute > 59 || parts.second > 59) return std::nullopt;
  const std::int64_t seconds = (parts.hour * 60 + parts.minute) * 60 + parts.second;
  return std::chrono::sys_days{day}.time_since_epoch().count() * day_micros +
         seconds * second_micros + parts.micros;
}

char* time_pattern::print(std::int64_t micros, char* at) const noexcept {
  const auto days = micros / day_micros - (micros % day_micros < 0 ? 1 : 0);
  const auto left = micros - days * day_micros;
  const std::chrono::year_month_day day{std::chrono::sys_days{std::chrono::days{days}}};
  const auto seconds = static_cast<int>(left / second_micros);
  const moment_parts parts{.year = static_cast<int>(day.year()),
                           .month = static_cast<int>(static_cast<unsigned>(day.month())),
                           .day = static_cast<int>(static_cast<unsigned>(day.day())),
                           .hour = seconds / 3600,
                           .minute = seconds / 60 % 60,
                           .second = seconds % 60,
                           .micros = static_cast<int>(left % second_micros)};
  for (const auto& one : items_)
    if (one.conversion != 0)
      at = print_conversion(one.conversion, parts, at);
    else
      *at++ = one.literal;
  return at;
}

std::size_t time_pattern::bytes_max() const noexcept {
  constexpr std::size_t longest = 9;  // September
  return longest * items_.size();
}

}  // namespace pappus::base

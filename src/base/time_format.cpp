#include "pappus/time_format.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <chrono>
#include <span>

#include <fmt/format.h>

#include "pappus/error.h"

namespace pappus {
namespace {

constexpr std::array<std::string_view, 12> months{"January",   "February", "March",    "April",
                                                  "May",       "June",     "July",     "August",
                                                  "September", "October",  "November", "December"};

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

void check_year(date day) {
  if (!time_format::can_print(day))
    throw usage_error(fmt::format(
        "time_format: expected a date in the years 0 to 9999, got day {} after 1970-01-01",
        day.days));
}

}  // namespace

time_format::time_format(std::string_view pattern, std::string_view what, bool time) {
  add(pattern, what, time);
  check(pattern, what);
}

void time_format::add(std::string_view pattern, std::string_view what, bool time) {
  for (std::size_t i = 0; i < pattern.size(); ++i)
    if (pattern[i] != '%')
      add({0, pattern[i]}, pattern, what);
    else
      add_conversion(++i < pattern.size() ? pattern[i] : '\0', pattern, what, time);
}

void time_format::add(item one, std::string_view pattern, std::string_view what) {
  if (count_ == items_max)
    throw usage_error(fmt::format("{}: expected at most {} conversions and characters, got \"{}\"",
                                  what, items_max, pattern));
  items_[count_++] = one;
}

void time_format::add_conversion(char conversion, std::string_view pattern, std::string_view what,
                                 bool time) {
  constexpr std::string_view of_day = "YymbBde", of_time = "HIpMSf";
  if (conversion == '%') {
    add({0, '%'}, pattern, what);
  } else if (conversion == 'F') {
    add("%Y-%m-%d", what, time);
  } else if (conversion == 'T' && time) {
    add("%H:%M:%S", what, time);
  } else if (conversion != '\0' && (of_day.find(conversion) != of_day.npos ||
                                    (time && of_time.find(conversion) != of_time.npos))) {
    add({conversion, 0}, pattern, what);
  } else {
    throw usage_error(fmt::format(
        "{}: expected conversions among %Y %y %m %b %B %d %e %F{} and %%, got \"%{}\" in \"{}\"",
        what, time ? " %H %I %p %M %S %f %T" : "",
        conversion != '\0' ? std::string(1, conversion) : "", pattern));
  }
}

void time_format::check(std::string_view pattern, std::string_view what) const {
  const auto has = [&](std::string_view any) {
    return std::ranges::any_of(std::span(items_).first(count_), [&](const item& one) {
      return one.conversion != 0 && any.find(one.conversion) != any.npos;
    });
  };
  if (has("Yy") && has("mbB") && has("de") && has("I") == has("p")) return;
  throw usage_error(fmt::format(
      "{}: expected a year (%Y), a month (%m), a day (%d), and %p where there is %I, got \"{}\"",
      what, pattern));
}

std::optional<timestamp> time_format::parse(std::string_view text) const noexcept {
  moment_parts parts;
  for (const auto& one : std::span(items_).first(count_)) {
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
  const auto time = std::chrono::seconds((parts.hour * 60 + parts.minute) * 60 + parts.second) +
                    std::chrono::microseconds(parts.micros);
  const auto days =
      static_cast<std::int32_t>(std::chrono::sys_days{day}.time_since_epoch().count());
  return timestamp::of(pappus::date{days}) + time;
}

std::optional<date> time_format::parse_date(std::string_view text) const noexcept {
  const auto moment = parse(text);
  return moment ? std::optional(moment->date()) : std::nullopt;
}

bool time_format::can_print(date day) noexcept {
  // A day count may lie so far out that the calendar's year wraps; 3,700,000 days pass the year
  // 9999 either way.
  return day.days <= 3'700'000 && day.days >= -3'700'000 && day.year() >= 0 && day.year() <= 9999;
}

char* time_format::print(timestamp moment, char* at) const {
  const auto day = moment.date();
  check_year(day);
  const auto micros = (moment - floor_to(moment, std::chrono::seconds(1))).count();
  const moment_parts parts{.year = day.year(),
                           .month = static_cast<int>(day.month()),
                           .day = static_cast<int>(day.day()),
                           .hour = moment.hour(),
                           .minute = moment.minute(),
                           .second = moment.second(),
                           .micros = static_cast<int>(micros)};
  for (const auto& one : std::span(items_).first(count_))
    if (one.conversion != 0)
      at = print_conversion(one.conversion, parts, at);
    else
      *at++ = one.literal;
  return at;
}

std::string time_format::print(date day) const {
  check_year(day);
  return print(timestamp::of(day));
}

std::string time_format::print(timestamp moment) const {
  std::string text(bytes_max(), '\0');
  text.resize(static_cast<std::size_t>(print(moment, text.data()) - text.data()));
  return text;
}

std::size_t time_format::bytes_max() const noexcept {
  constexpr std::size_t longest = 9;  // September
  return longest * count_;
}

std::string time_format::pattern() const {
  std::string text;
  for (const auto& one : std::span(items_).first(count_)) {
    if (one.conversion != 0 || one.literal == '%') text += '%';
    text += one.conversion != 0 ? one.conversion : one.literal;
  }
  return text;
}

}  // namespace pappus

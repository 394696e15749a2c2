#include "front/plot/axis.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <string_view>

#include <fmt/format.h>

namespace pappus::front {
namespace {

constexpr double seconds_a_day = 86'400, micros_a_second = 1e6;

std::string number_text(double value, double step) {
  constexpr double large = 1e7;
  if (std::abs(value) < step / 1e3) value = 0;  // what is left of a sum that should be 0
  if (std::abs(value) >= large || step < 1e-5) return fmt::format("{:.6g}", value);
  const int decimals = std::max(0, static_cast<int>(-std::floor(std::log10(step) + 1e-9)));
  return fmt::format("{:.{}f}", value, decimals);
}

/// A step from one tick to the next, in seconds or, if there are some, months.
struct stride {
  double seconds = 0;
  int months = 0;
  std::string_view form{};  ///< of chrono's formats
};

constexpr double minute = 60, hour = 3'600;
constexpr std::array strides{
    stride{1, 0, "%H:%M:%S"},
    stride{5, 0, "%H:%M:%S"},
    stride{15, 0, "%H:%M:%S"},
    stride{30, 0, "%H:%M:%S"},
    stride{minute, 0, "%H:%M"},
    stride{5 * minute, 0, "%H:%M"},
    stride{15 * minute, 0, "%H:%M"},
    stride{30 * minute, 0, "%H:%M"},
    stride{hour, 0, "%d %H:%M"},
    stride{3 * hour, 0, "%d %H:%M"},
    stride{6 * hour, 0, "%d %H:%M"},
    stride{12 * hour, 0, "%d %H:%M"},
    stride{seconds_a_day, 0, "%Y-%m-%d"},
    stride{2 * seconds_a_day, 0, "%Y-%m-%d"},
    stride{7 * seconds_a_day, 0, "%Y-%m-%d"},
    stride{0, 1, "%Y-%m"},
    stride{0, 3, "%Y-%m"},
    stride{0, 6, "%Y-%m"},
    stride{0, 12, "%Y"},
};

double length_of(const stride& s) {
  constexpr double seconds_a_month = 30.44 * seconds_a_day;
  return s.months > 0 ? s.months * seconds_a_month : s.seconds;
}

std::string moment_text(double seconds, std::string_view form) {
  const auto days = static_cast<std::int64_t>(std::floor(seconds / seconds_a_day));
  const auto rest = static_cast<std::int64_t>(seconds) - days * 86'400;
  const date day{static_cast<std::int32_t>(days)};
  std::string text;
  for (std::size_t i = 0; i < form.size(); ++i) {
    if (form[i] != '%') {
      text += form[i];
      continue;
    }
    switch (form[++i]) {
      case 'Y':
        text += fmt::format("{}", day.year());
        break;
      case 'm':
        text += fmt::format("{:02}", day.month());
        break;
      case 'd':
        text += fmt::format("{:02}", day.day());
        break;
      case 'H':
        text += fmt::format("{:02}", rest / 3'600);
        break;
      case 'M':
        text += fmt::format("{:02}", rest / 60 % 60);
        break;
      default:
        text += fmt::format("{:02}", rest % 60);
    }
  }
  return text;
}

/// The first days of months, numbered from year 0, in seconds.
double month_begins(std::int64_t month) {
  const auto year = static_cast<int>(month / 12);
  return static_cast<double>(date::of(year, static_cast<int>(month % 12) + 1, 1).days) *
         seconds_a_day;
}

}  // namespace

axis axis_between(double low, double high) {
  if (low < high) return {low, high};
  const double around = low == 0 ? 1 : std::abs(low) / 10;
  return {low - around, low + around};
}

void add_ticks(axis& to, std::size_t most) {
  const double rough = (to.high - to.low) / static_cast<double>(std::max<std::size_t>(most, 1));
  const double power = std::pow(10, std::floor(std::log10(rough)));
  double step = 10 * power;
  for (const double factor : {1.0, 2.0, 5.0})
    if (factor * power >= rough) {
      step = factor * power;
      break;
    }
  const double first = std::ceil(to.low / step - 1e-9);
  for (double i = first; i * step <= to.high + step * 1e-9 && to.ticks.size() <= most; ++i)
    to.ticks.push_back({i * step, number_text(i * step, step)});
}

void add_moments(axis& to, detail::axis_kind kind, std::size_t most) {
  const double a_second = kind == detail::axis_kind::days ? 1 / seconds_a_day : micros_a_second;
  const double low = to.low / a_second, high = to.high / a_second;
  const auto fits = [&](const stride& s) {
    const bool whole_days = kind != detail::axis_kind::days || length_of(s) >= seconds_a_day;
    return whole_days && (high - low) / length_of(s) <= static_cast<double>(most);
  };
  const auto* found = std::ranges::find_if(strides, fits);
  const bool years = found == strides.end();
  auto chosen = years ? strides.back() : *found;
  if (years) {
    const double of_years = (high - low) / length_of(chosen) / static_cast<double>(most);
    const double power = std::pow(10, std::floor(std::log10(of_years)));
    for (const double factor : {1.0, 2.0, 5.0, 10.0})
      if (factor * power >= of_years) {
        chosen.months = 12 * static_cast<int>(factor * power);
        break;
      }
  }
  const auto add = [&](double seconds) {
    to.ticks.push_back({seconds * a_second, moment_text(seconds, chosen.form)});
  };
  if (chosen.months == 0) {
    for (double i = std::ceil(low / chosen.seconds); i * chosen.seconds <= high; ++i)
      add(i * chosen.seconds);
    return;
  }
  const date begin{static_cast<std::int32_t>(std::floor(low / seconds_a_day))};
  auto month =
      (std::int64_t{begin.year()} * 12 + begin.month() - 1) / chosen.months * chosen.months;
  for (; month_begins(month) <= high; month += chosen.months)
    if (month_begins(month) >= low) add(month_begins(month));
}

}  // namespace pappus::front

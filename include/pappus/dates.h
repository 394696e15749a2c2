// Days and moments, and what is computed with them.
//
//     flights.group_by([](const flight& f) { return first_of_month(f.day); })
//     visits.filter([](const visit& v) { return v.day.weekday() >= 6; })     // Saturday, Sunday
//     sales.group_by([](const sale& x) { return floor_to(x.at, std::chrono::minutes(15)); })
//
// All of it works in functions that run on devices. Not here: time zones.
#pragma once

#include <chrono>
#include <compare>
#include <cstdint>

namespace pappus {

/// A calendar day of the proleptic Gregorian calendar; a field of this type reads YYYY-MM-DD.
struct date {
  std::int32_t days = 0;  ///< since 1970-01-01, negative before

  /// The given day; year -32767 to 32767, month 1 to 12, day 1 to 31. A day that the month lacks
  /// runs on into the next.
  static constexpr date of(int year, unsigned month, unsigned day) noexcept {
    const std::chrono::year_month_day first{std::chrono::year{year}, std::chrono::month{month},
                                            std::chrono::day{1}};
    const std::chrono::days since_epoch = std::chrono::sys_days{first}.time_since_epoch();
    return {static_cast<std::int32_t>(since_epoch.count() + static_cast<std::int64_t>(day) - 1)};
  }

  constexpr int year() const noexcept { return static_cast<int>(civil().year()); }
  constexpr unsigned month() const noexcept { return static_cast<unsigned>(civil().month()); }
  constexpr unsigned day() const noexcept { return static_cast<unsigned>(civil().day()); }
  /// 1: Monday, ..., 7: Sunday, as ISO 8601 has it.
  constexpr int weekday() const noexcept {
    const int since_monday = (days + 3) % 7;  // before 1970 since the next one: negative
    return since_monday < 0 ? since_monday + 8 : since_monday + 1;
  }
  /// 1: the first of January.
  constexpr int day_of_year() const noexcept { return days - of(year(), 1, 1).days + 1; }

  /// So many days later.
  friend constexpr date operator+(date day, int by) noexcept { return {day.days + by}; }
  friend constexpr date operator-(date day, int by) noexcept { return {day.days - by}; }
  /// How many days a is after b.
  friend constexpr int operator-(date a, date b) noexcept { return a.days - b.days; }
  friend constexpr auto operator<=>(const date&, const date&) = default;

 private:
  constexpr std::chrono::year_month_day civil() const noexcept {
    return std::chrono::sys_days{std::chrono::days{days}};
  }
};

/// A moment in microseconds; a field of this type reads YYYY-MM-DD HH:MM:SS.ffffff. Has no time
/// zone: files are taken as UTC.
struct timestamp {
  std::int64_t micros = 0;  ///< since 1970-01-01 00:00, negative before

  /// The beginning of a day.
  static constexpr timestamp of(date day) noexcept { return {day.days * day_micros}; }

  /// The day this moment lies in.
  constexpr pappus::date date() const noexcept {
    return {static_cast<std::int32_t>(micros / day_micros - (micros % day_micros < 0 ? 1 : 0))};
  }
  constexpr int hour() const noexcept { return static_cast<int>(since_midnight() / hour_micros); }
  constexpr int minute() const noexcept {
    return static_cast<int>(since_midnight() / minute_micros % 60);
  }
  constexpr int second() const noexcept {
    return static_cast<int>(since_midnight() / second_micros % 60);
  }

  friend constexpr timestamp operator+(timestamp t, std::chrono::microseconds by) noexcept {
    return {t.micros + by.count()};
  }
  friend constexpr timestamp operator-(timestamp t, std::chrono::microseconds by) noexcept {
    return {t.micros - by.count()};
  }
  /// How long a is after b.
  friend constexpr std::chrono::microseconds operator-(timestamp a, timestamp b) noexcept {
    return std::chrono::microseconds(a.micros - b.micros);
  }
  friend constexpr auto operator<=>(const timestamp&, const timestamp&) = default;

 private:
  static constexpr std::int64_t second_micros = 1'000'000, minute_micros = 60 * second_micros,
                                hour_micros = 60 * minute_micros, day_micros = 24 * hour_micros;
  constexpr std::int64_t since_midnight() const noexcept {
    const auto left = micros % day_micros;
    return left < 0 ? left + day_micros : left;
  }
};

/// The Monday that isn't after a day.
constexpr date first_of_week(date day) noexcept { return day - (day.weekday() - 1); }
constexpr date first_of_month(date day) noexcept { return date::of(day.year(), day.month(), 1); }
/// The first day of its quarter: January, April, July or October.
constexpr date first_of_quarter(date day) noexcept {
  return date::of(day.year(), (day.month() - 1) / 3 * 3 + 1, 1);
}
constexpr date first_of_year(date day) noexcept { return date::of(day.year(), 1, 1); }

/// So many months later; the month's last day where it has no such day: January 31 and a month is
/// February 28 or 29.
constexpr date add_months(date day, int months) noexcept {
  const int from = day.year() * 12 + static_cast<int>(day.month()) - 1 + months;
  const int year = from / 12 - (from % 12 < 0 ? 1 : 0);
  const auto month = static_cast<unsigned>(from - year * 12) + 1;
  const auto first = date::of(year, month, 1);
  const auto next = month == 12 ? date::of(year + 1, 1, 1) : date::of(year, month + 1, 1);
  const int length = next - first, wanted = static_cast<int>(day.day());
  return first + ((wanted < length ? wanted : length) - 1);
}

/// The last whole step since 1970-01-01 00:00 that isn't after a moment: floor_to(t, minutes(15)).
/// The moment itself, where a step isn't more than 0, or where that is before all moments.
constexpr timestamp floor_to(timestamp moment, std::chrono::microseconds step) noexcept {
  if (step.count() <= 0) return moment;
  const auto left = moment.micros % step.count();
  const auto by = left < 0 ? left + step.count() : left;
  return moment.micros < INT64_MIN + by ? moment : timestamp{moment.micros - by};
}

}  // namespace pappus

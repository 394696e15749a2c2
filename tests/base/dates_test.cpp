#include "pappus/dates.h"

#include <gtest/gtest.h>

#include <chrono>
#include <random>

namespace pappus::testing {
namespace {

using std::chrono::hours;
using std::chrono::microseconds;
using std::chrono::minutes;

static_assert(date::of(2024, 2, 29).weekday() == 4, "functions of dates work at compile time");
static_assert(floor_to(timestamp{-1}, minutes(15)) == timestamp{-900'000'000});

TEST(dates, agree_with_the_calendar_of_the_standard_library) {
  constexpr unsigned seed = 21;
  RecordProperty("seed", seed);
  std::mt19937_64 random(seed);
  for (int i = 0; i < 20'000; ++i) {
    const date day{static_cast<std::int32_t>(random() % 4'000'000) - 1'000'000};
    const std::chrono::sys_days at{std::chrono::days{day.days}};
    const std::chrono::year_month_day civil{at};
    ASSERT_EQ(day.weekday(), static_cast<int>(std::chrono::weekday{at}.iso_encoding()));
    ASSERT_EQ(day.day_of_year(), (at - std::chrono::sys_days{civil.year() / 1 / 1}).count() + 1);
    ASSERT_EQ(first_of_month(day), date::of(day.year(), day.month(), 1));
    ASSERT_EQ(first_of_week(day).weekday(), 1);
    ASSERT_TRUE(day - first_of_week(day) >= 0 && day - first_of_week(day) < 7);
    const auto quarter = first_of_quarter(day);
    ASSERT_TRUE(quarter <= day && quarter.month() % 3 == 1 && quarter.day() == 1);
    ASSERT_EQ((quarter.month() - 1) / 3, (day.month() - 1) / 3);
    ASSERT_EQ(first_of_year(day), date::of(day.year(), 1, 1));

    const int months = static_cast<int>(random() % 500) - 250;
    auto later = civil + std::chrono::months{months};
    if (!later.ok()) later = later.year() / later.month() / std::chrono::last;
    ASSERT_EQ(add_months(day, months),
              date::of(static_cast<int>(later.year()), static_cast<unsigned>(later.month()),
                       static_cast<unsigned>(later.day())))
        << day.year() << "-" << day.month() << "-" << day.day() << " and " << months << " months";
  }
}

TEST(dates, add_up) {
  const auto day = date::of(2024, 2, 28);
  EXPECT_EQ(day + 2, date::of(2024, 3, 1));
  EXPECT_EQ(day - 59, date::of(2023, 12, 31));
  EXPECT_EQ(date::of(2025, 2, 28) - day, 366);
  EXPECT_EQ(add_months(date::of(2024, 1, 31), 1), date::of(2024, 2, 29));
  EXPECT_EQ(add_months(date::of(2024, 1, 31), -2), date::of(2023, 11, 30));
  EXPECT_EQ(add_months(date::of(2024, 12, 31), 2), date::of(2025, 2, 28));
}

TEST(timestamps, have_parts_before_and_after_1970) {
  constexpr unsigned seed = 22;
  RecordProperty("seed", seed);
  std::mt19937_64 random(seed);
  for (int i = 0; i < 20'000; ++i) {
    const timestamp at{static_cast<std::int64_t>(random() % (1ULL << 57)) - (1LL << 56)};
    const auto days = std::chrono::floor<std::chrono::days>(microseconds(at.micros));
    const std::chrono::hh_mm_ss time(microseconds(at.micros) - days);
    ASSERT_EQ(at.date().days, days.count());
    ASSERT_EQ(at.hour(), time.hours().count());
    ASSERT_EQ(at.minute(), time.minutes().count());
    ASSERT_EQ(at.second(), time.seconds().count());
    ASSERT_EQ(floor_to(at, hours(24)), timestamp::of(at.date()));
    const auto quarter = floor_to(at, minutes(15));
    ASSERT_TRUE(quarter.micros % 900'000'000 == 0 && quarter <= at && at - quarter < minutes(15));
  }
}

TEST(timestamps, at_the_ends_of_time_have_parts) {
  for (const std::int64_t micros : {INT64_MIN, INT64_MIN + 1, INT64_MAX}) {
    const timestamp at{micros};
    EXPECT_TRUE(at.hour() >= 0 && at.hour() < 24 && at.minute() < 60 && at.second() < 60);
    EXPECT_LE(floor_to(at, hours(24)), at);
  }
  EXPECT_EQ(floor_to(timestamp{7}, microseconds(0)), timestamp{7});
  EXPECT_EQ(floor_to(timestamp{7}, microseconds(-1)), timestamp{7});
}

TEST(timestamps, add_up) {
  const auto begin = timestamp::of(date::of(1969, 12, 31));
  EXPECT_EQ(begin + hours(25), timestamp::of(date::of(1970, 1, 1)) + hours(1));
  EXPECT_EQ((begin - microseconds(1)).date(), date::of(1969, 12, 30));
  EXPECT_EQ(timestamp{} - begin, hours(24));
}

}  // namespace
}  // namespace pappus::testing

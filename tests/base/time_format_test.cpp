#include "pappus/time_format.h"

#include <gtest/gtest.h>

#include <chrono>
#include <optional>
#include <random>
#include <string>

#include "pappus/error.h"

namespace pappus::testing {
namespace {

std::int64_t micros(int year, unsigned month, unsigned day, int hour = 0, int minute = 0,
                    int second = 0, std::int64_t fraction = 0) {
  const std::chrono::sys_days date{std::chrono::year{year} / static_cast<int>(month) /
                                   static_cast<int>(day)};
  return (date.time_since_epoch().count() * 86'400 + (hour * 60 + minute) * 60 + second) *
             1'000'000 +
         fraction;
}

std::optional<std::int64_t> parsed(std::string_view pattern, std::string_view text) {
  const auto moment = time_format(pattern).parse(text);
  return moment ? std::optional(moment->micros) : std::nullopt;
}
std::string printed(std::string_view pattern, std::int64_t moment) {
  return time_format(pattern).print(timestamp{moment});
}

TEST(time_format, takes_what_files_have) {
  EXPECT_EQ(parsed("%d/%m/%Y", "29/02/2024"), micros(2024, 2, 29));
  EXPECT_EQ(parsed("%d.%m.%Y", "1.2.2024"), micros(2024, 2, 1)) << "fewer digits";
  EXPECT_EQ(parsed("%m/%d/%y %H:%M", "12/31/99 23:59"), micros(1999, 12, 31, 23, 59));
  EXPECT_EQ(parsed("%y%m%d", "680101"), micros(2068, 1, 1));
  EXPECT_EQ(parsed("%b %e, %Y %I:%M %p", "Mar  7, 2024 12:05 am"), micros(2024, 3, 7, 0, 5));
  EXPECT_EQ(parsed("%b %e, %Y %I:%M %p", "may 17, 2024 1:05 PM"), micros(2024, 5, 17, 13, 5));
  EXPECT_EQ(parsed("%d %B %Y", "3 September 1969"), micros(1969, 9, 3));
  EXPECT_EQ(parsed("%FT%T.%f", "1969-12-31T23:59:59.5"), micros(1969, 12, 31, 23, 59, 59, 500'000));
  EXPECT_EQ(parsed("%F %T.%f", "2000-01-01 00:00:00.123456789"),
            micros(2000, 1, 1, 0, 0, 0, 123'456));
  EXPECT_EQ(parsed("%Y%%%m%%%d", "2000%1%2"), micros(2000, 1, 2));
}

TEST(time_format, takes_nothing_else) {
  for (const auto* const text :
       {"", "29/02/2023", "29/02", "29/02/2024 ", " 29/02/2024", "29-02-2024", "31/04/2024",
        "00/01/2024", "01/00/2024", "01/13/2024", "x/01/2024", "1/1/", "-1/1/2024"})
    EXPECT_EQ(parsed("%d/%m/%Y", text), std::nullopt) << text;
  EXPECT_EQ(parsed("%F %H", "2024-01-01 24"), std::nullopt);
  EXPECT_EQ(parsed("%F %I %p", "2024-01-01 0 AM"), std::nullopt);
  EXPECT_EQ(parsed("%F %I %p", "2024-01-01 13 PM"), std::nullopt);
  EXPECT_EQ(parsed("%F %I %p", "2024-01-01 1 XM"), std::nullopt);
  EXPECT_EQ(parsed("%F %T", "2024-01-01 12:60:00"), std::nullopt);
  EXPECT_EQ(parsed("%b %d %Y", "Foo 1 2024"), std::nullopt);
}

TEST(time_format, prints_what_it_takes) {
  EXPECT_EQ(printed("%d/%m/%Y", micros(2024, 2, 9)), "09/02/2024");
  EXPECT_EQ(printed("%b %e, %Y %I:%M %p", micros(2024, 3, 7, 0, 5)), "Mar  7, 2024 12:05 AM");
  EXPECT_EQ(printed("%B %d %y", micros(1969, 9, 30)), "September 30 69");
  constexpr unsigned seed = 5;
  RecordProperty("seed", seed);
  std::mt19937_64 random(seed);
  for (const auto* const pattern : {"%F %T.%f", "%d.%m.%Y %H:%M:%S.%f", "%b %e, %Y %I:%M:%S %p %f",
                                    "%Y%m%d%H%M%S%f", "on %B the %d, %Y at %H %M %S %f"})
    for (int i = 0; i < 1000; ++i) {
      const auto moment = static_cast<std::int64_t>(random() % 315'537'897'600'000'000) -
                          62'135'596'800'000'000;  // of the years 1 to 9999
      EXPECT_EQ(parsed(pattern, printed(pattern, moment)), moment) << pattern;
    }
}

std::string refused(std::string_view pattern, bool time) {
  try {
    time_format(pattern, "csv_options::date", time);
  } catch (const usage_error& e) {
    return e.what();
  }
  return "";
}

TEST(time_format, takes_and_prints_days) {
  const time_format form("%d.%m.%Y");
  EXPECT_EQ(form.parse_date("29.2.2024"), date::of(2024, 2, 29));
  EXPECT_EQ(form.parse_date("29.2.2023"), std::nullopt);
  EXPECT_EQ(form.print(date::of(1969, 1, 2)), "02.01.1969");
  EXPECT_EQ(form.pattern(), "%d.%m.%Y");
  EXPECT_EQ(time_format("%F%%%T").pattern(), "%Y-%m-%d%%%H:%M:%S");
  EXPECT_THROW(form.print(date{4'000'000}), usage_error);
  EXPECT_THROW(form.print(date{INT32_MIN}), usage_error);
  EXPECT_THROW(form.print(date{213'503'982}), usage_error) << "its microseconds take more bits";
}

TEST(time_format, refuses_what_tells_no_day) {
  EXPECT_EQ(refused("%d/%q/%Y", false),
            "csv_options::date: expected conversions among %Y %y %m %b %B %d %e %F and %%, got "
            "\"%q\" in \"%d/%q/%Y\"");
  EXPECT_EQ(refused("%d/%m/%Y %H", false).substr(0, 60),
            "csv_options::date: expected conversions among %Y %y %m %b %B");
  EXPECT_EQ(refused("%F %", true).substr(0, 38), "csv_options::date: expected conversion");
  EXPECT_EQ(refused("%F" + std::string(64, 'x'), true).substr(0, 70),
            "csv_options::date: expected at most 64 conversions and characters, got");
  for (const auto* const pattern : {"", "%Y-%m", "%d.%m.", "%H:%M", "%F %I:%M", "%F %p"})
    EXPECT_EQ(refused(pattern, true),
              std::string("csv_options::date: expected a year (%Y), a month (%m), a day (%d), and "
                          "%p where there is %I, got \"") +
                  pattern + '"');
}

}  // namespace
}  // namespace pappus::testing

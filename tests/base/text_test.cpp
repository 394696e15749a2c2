#include "base/text.h"

#include <limits>

#include <gtest/gtest.h>

#include "pappus/error.h"

namespace pappus::base {
namespace {

TEST(bytes_text, uses_the_largest_unit_that_fits) {
  EXPECT_EQ(bytes_text(0), "0 B");
  EXPECT_EQ(bytes_text(1023), "1023 B");
  EXPECT_EQ(bytes_text(1024), "1 KiB");
  EXPECT_EQ(bytes_text(1536), "1.5 KiB");
  EXPECT_EQ(bytes_text(64.0 * 1024 * 1024), "64 MiB");
  EXPECT_EQ(bytes_text(1.5 * 1024 * 1024 * 1024), "1.5 GiB");
  EXPECT_EQ(bytes_text(3e15), "2.7 PiB");
  EXPECT_EQ(bytes_text(1e20), "88818 PiB");
}

TEST(count_text, groups_thousands) {
  EXPECT_EQ(count_text(0), "0");
  EXPECT_EQ(count_text(999), "999");
  EXPECT_EQ(count_text(1000), "1,000");
  EXPECT_EQ(count_text(-999), "-999");
  EXPECT_EQ(count_text(-123456), "-123,456");
  EXPECT_EQ(count_text(std::numeric_limits<std::int64_t>::max()), "9,223,372,036,854,775,807");
  EXPECT_EQ(count_text(std::numeric_limits<std::int64_t>::min()), "-9,223,372,036,854,775,808");
}

TEST(time_text, picks_seconds_milliseconds_or_microseconds) {
  EXPECT_EQ(time_text(12.345), "12.35 s");
  EXPECT_EQ(time_text(0.0125), "12.50 ms");
  EXPECT_EQ(time_text(5.55e-6), "5.5 us");
  EXPECT_EQ(time_text(0), "0.0 us");
}

TEST(parse_bytes, reads_decimal_and_binary_units) {
  EXPECT_EQ(parse_bytes("4096", "x"), 4096u);
  EXPECT_EQ(parse_bytes("12 B", "x"), 12u);
  EXPECT_EQ(parse_bytes("64KiB", "x"), std::size_t{64} << 10);
  EXPECT_EQ(parse_bytes("512M", "x"), std::size_t{512} << 20);
  EXPECT_EQ(parse_bytes("8GiB", "x"), std::size_t{8} << 30);
  EXPECT_EQ(parse_bytes("1.5 GB", "x"), 1'500'000'000u);
  EXPECT_EQ(parse_bytes("2tib", "x"), std::size_t{2} << 40);
}

template <typename Parse>
void expect_usage_error(const std::string& text, Parse parse) {
  try {
    parse();
    FAIL() << "accepted";
  } catch (const usage_error& e) {
    EXPECT_EQ(e.what(), text);
  }
}

TEST(parse_bytes, refuses_what_is_no_size) {
  for (const char* text : {"", "GiB", "-1", "5 apples", "1 GiBs", "12 34", "nan", "inf", "1e30",
                           "9223372036854775808", "0x10"})
    expect_usage_error(
        "PAPPUS_HOST_MEMORY: expected a size such as 512MiB, 8GiB or 1000000 (bytes), got \"" +
            std::string(text) + "\"",
        [&] { parse_bytes(text, "PAPPUS_HOST_MEMORY"); });
}

TEST(parse_count, reads_whole_numbers_within_its_limits) {
  EXPECT_EQ(parse_count("1", "x", 1), 1);
  EXPECT_EQ(parse_count("9223372036854775807", "x", 1), std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(parse_count("8", "x", 1, 8), 8);
}

TEST(parse_count, refuses_what_is_no_whole_number_within_its_limits) {
  for (const char* text : {"", "0", "-3", "1.5", "8 threads", " 8", "9223372036854775808"})
    expect_usage_error("PAPPUS_CHUNK_ROWS: expected a whole number of at least 1, got \"" +
                           std::string(text) + "\"",
                       [&] { parse_count(text, "PAPPUS_CHUNK_ROWS", 1); });
  expect_usage_error("PAPPUS_THREADS: expected a whole number from 1 to 1024, got \"4294967296\"",
                     [] { parse_count("4294967296", "PAPPUS_THREADS", 1, 1024); });
}

TEST(trimmed, drops_spaces_and_tabs_at_both_ends) {
  EXPECT_EQ(trimmed(" \ta b\t "), "a b");
  EXPECT_EQ(trimmed("a"), "a");
  EXPECT_EQ(trimmed(" \t"), "");
  EXPECT_EQ(trimmed(""), "");
}

TEST(comma_list, has_a_name_more_than_there_are_commas) {
  using names = std::vector<std::string_view>;
  EXPECT_EQ(comma_list("cpu"), names{"cpu"});
  EXPECT_EQ(comma_list("cpu, opencl:0\t,test"), (names{"cpu", "opencl:0", "test"}));
  EXPECT_EQ(comma_list(""), names{""});
  EXPECT_EQ(comma_list(",a,"), (names{"", "a", ""}));
}

TEST(quoted, is_a_literal_on_one_line) {
  EXPECT_EQ(quoted(""), "\"\"");
  EXPECT_EQ(quoted("map·sum"), "\"map·sum\"");
  EXPECT_EQ(quoted("say \"a\\b\""), "\"say \\\"a\\\\b\\\"\"");
  EXPECT_EQ(quoted("two\nlines\r\x7f"), "\"two\\nlines  \"");
}

}  // namespace
}  // namespace pappus::base

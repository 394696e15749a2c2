// Tables of rows, and CSV files whose columns are called as fields are.
#include <array>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <iostream>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "pappus/pappus.h"
#include "support/spill_folder.h"

/// A user's function of a name that aggregates have, too.
namespace statistics_of_a_user {
template <typename Rows>
std::size_t mean(const Rows& rows) {
  return rows.size();
}
std::size_t mean_of(const pappus::records<int>& rows) { return mean(rows); }
}  // namespace statistics_of_a_user

namespace pappus {
namespace {

enum class mood : std::int8_t { bad = -1, good = 1 };
struct position {
  float x;
  std::array<std::int16_t, 2> at;
};
class opaque {
 public:
  int number() const { return number_; }

 private:
  int number_ = 0;
};
struct visit {
  std::string_view name;
  std::int32_t n;
  bool ok;
  date day;
  timestamp from;
  position where;
  std::array<char, 4> code;
  mood how;
  opaque other;
};
std::vector<visit> visits(int n) {
  std::vector<visit> all;
  for (int i = 0; i < n; ++i)
    all.push_back({i % 2 == 0 ? "Ada" : "Zoë",
                   i * 500,
                   i % 3 == 0,
                   {19'782 + i},
                   {1'000'000 * i},
                   {0.5F * static_cast<float>(i), {1, 2}},
                   {'a', 'b'},
                   mood::bad,
                   {}});
  return all;
}

template <typename Show>
std::string shown(Show show) {
  ::testing::internal::CaptureStdout();
  show();
  std::cout.flush();
  return ::testing::internal::GetCapturedStdout();
}

TEST(show, prints_names_types_and_the_first_rows) {
  session s;
  const auto all = s.from(visits(3));
  EXPECT_EQ(
      shown([&] { all.show(); }),
      "name     n  ok     day         from                 where.x  where.at  code  how   other\n"
      "text   i32  bool   date        timestamp                f32  i16       text  mood  opaque\n"
      "Ada      0  true   2024-02-29  1970-01-01 00:00:00        0  [1, 2]    ab    -1    ?\n"
      "Zoë    500  false  2024-03-01  1970-01-01 00:00:01      0.5  [1, 2]    ab    -1    ?\n"
      "Ada   1000  false  2024-03-02  1970-01-01 00:00:02        1  [1, 2]    ab    -1    ?\n"
      "3 rows\n");
  const auto numbers = all.map(&visit::n);
  EXPECT_EQ(shown([&] { numbers.show(2); }), "value\n  i32\n    0\n  500\nthe first 2 rows\n");
  EXPECT_EQ(shown([&] { numbers.show(3); }), "value\n  i32\n    0\n  500\n 1000\n3 rows\n");
  EXPECT_EQ(shown([&] { numbers.take(1).show(); }), "value\n  i32\n    0\n1 row\n");
  EXPECT_EQ(shown([&] { numbers.skip(5).show(); }), "value\n  i32\n0 rows\n");
  EXPECT_EQ(shown([&] { numbers.show(-1); }), "value\n  i32\nthe first 0 rows\n");
  EXPECT_EQ(shown([&] { numbers.show(INT64_MAX); }), shown([&] { numbers.show(3); }));
}

TEST(show, has_columns_for_keys_and_results) {
  session s;
  const auto groups = s.from(visits(4))
                          .group_by(&visit::name, &visit::ok)
                          .aggregate(count(), argmax(&visit::n, &visit::name));
  EXPECT_EQ(shown([&] { groups.show(); }),
            "key.0  key.1  value.0  value.1.value  value.1.arg\n"
            "text   bool       i64            i32  text\n"
            "Ada    false        1           1000  Ada\n"
            "Ada    true         1              0  Ada\n"
            "Zoë    false        1            500  Zoë\n"
            "Zoë    true         1           1500  Zoë\n"
            "4 rows\n");
}

TEST(show, reads_no_more_of_a_file_than_it_prints) {
  const testing::spill_folder folder;
  const auto path = folder.path() + "/long.csv";
  std::ofstream file(path);
  file << "n\n";
  for (int i = 0; i < 100'000; ++i) file << i << "\n";
  file << "no number\n";
  file.close();
  struct line {
    int n;
  };
  session s({.threads = 2, .devices = "cpu"});
  EXPECT_THAT(shown([&] { s.csv<line>(path).show(2); }), "  n\ni32\n  0\n  1\nthe first 2 rows\n");
}

template <typename T>
std::string printed(const T& value) {
  std::ostringstream text;
  text << value;
  return text.str();
}

TEST(records, are_printed_as_tables) {
  session s;
  EXPECT_EQ(printed(s.range(0, 3).collect()), "value\n  i32\n    0\n    1\n    2\n3 rows\n");
  const auto many = printed(s.range(0, 25).collect());
  EXPECT_THAT(many, ::testing::EndsWith("   19\n20 of 25 rows\n"));
  EXPECT_EQ(printed(s.range(0, 0).collect()), "value\n  i32\n0 rows\n");
}

TEST(records, are_not_what_aggregates_project) {
  session s;
  EXPECT_EQ(statistics_of_a_user::mean_of(s.range(0, 3).collect()), 3u);
}

TEST(records, of_ours_are_printed_in_parentheses) {
  EXPECT_EQ(printed(pair<int, double>{1, 2.5}), "(1, 2.5)");
  EXPECT_EQ(printed(keyed<std::string_view, pair<bool, char>>{"a\n", {true, 'x'}}),
            "(a\\n, (true, x))");
  EXPECT_EQ(printed(indexed<float>{7, 0.5F}), "(7, 0.5)");
  EXPECT_EQ(printed(results<int, date, std::array<int, 2>>(1, date{0}, {3, 4})),
            "(1, 1970-01-01, [3, 4])");
  EXPECT_EQ(printed(reducers::extreme<int, int>{3, 4}), "(3, 4)");
  EXPECT_EQ(printed(date::of(2024, 2, 29)), "2024-02-29");
  EXPECT_EQ(printed(timestamp{1}), "1970-01-01 00:00:00.000001");
  enum class large : std::uint64_t { most = ~std::uint64_t{0} };
  EXPECT_EQ(printed(pair<large, int>{large::most, 1}), "(18446744073709551615, 1)");
  session s;
  EXPECT_EQ(printed(s.range(0, 4).aggregate(count(), sum())), "(4, 6)");
  EXPECT_EQ(printed(s.range(0, 4).enumerate().first()), "(0, 0)");
}

struct flight {
  std::string_view carrier;
  date day;
  double delay;
  friend bool operator==(const flight&, const flight&) = default;
};

TEST(csv_by_fields, has_columns_that_are_called_as_fields) {
  const testing::spill_folder folder;
  const auto path = folder.path() + "/flights.csv";
  std::ofstream(path) << "day,note,delay,carrier\n2024-02-29,fog,12.5,KL\n2024-03-01,,-3,LH\n";
  session s({.threads = 2, .devices = "cpu"});
  const std::vector<flight> expected{{"KL", date::of(2024, 2, 29), 12.5},
                                     {"LH", date::of(2024, 3, 1), -3}};
  EXPECT_EQ(s.csv<flight>(path).collect().to_vector(), expected);
  EXPECT_EQ(s.read<flight>(path).collect().to_vector(), expected);

  const auto copy = folder.path() + "/copy.csv";
  s.csv<flight>(path).write(copy);
  std::stringstream text;
  text << std::ifstream(copy).rdbuf();
  EXPECT_EQ(text.str(), "carrier,day,delay\nKL,2024-02-29,12.5\nLH,2024-03-01,-3\n");

  std::ofstream(path) << "KL;2024-02-29;12.5\nLH;2024-03-01;-3\n";
  EXPECT_EQ(
      s.csv<flight>(path, csv_options{.delimiter = ';', .header = false}).collect().to_vector(),
      expected);
}

TEST(csv_by_fields, of_several_keys_has_their_numbers_as_names) {
  const testing::spill_folder folder;
  const auto path = folder.path() + "/keys.csv";
  session s({.threads = 2, .devices = "cpu"});
  const auto keys = s.from(visits(4)).group_by(&visit::ok, &visit::n).keys();
  keys.write(path);
  std::stringstream text;
  text << std::ifstream(path).rdbuf();
  EXPECT_EQ(text.str(), "0,1\nfalse,500\nfalse,1000\ntrue,0\ntrue,1500\n");
  EXPECT_EQ((s.csv<results<bool, std::int32_t>>(path).collect().to_vector()),
            keys.collect().to_vector());
}

TEST(csv_by_fields, refuses_files_and_records_without_such_columns) {
  const testing::spill_folder folder;
  const auto path = folder.path() + "/flights.csv";
  std::ofstream(path) << "day,Delay,carrier\n2024-02-29,12.5,KL\n";
  session s({.threads = 2, .devices = "cpu"});
  using ::testing::HasSubstr;
  using ::testing::ThrowsMessage;
  EXPECT_THAT([&] { s.csv<flight>(path).collect(); },
              ThrowsMessage<format_error>(HasSubstr("expected a column \"delay\"")));
  EXPECT_THAT([&] { s.csv<int>(path).collect(); },
              ThrowsMessage<usage_error>(HasSubstr("expected a name for each field")));
  struct nested {
    flight one;
    int n;
  };
  EXPECT_THAT([&] { s.csv<nested>(path).collect(); },
              ThrowsMessage<usage_error>(HasSubstr("expected bindings of columns to fields")));
  EXPECT_THAT(
      [&] { s.csv<position>(path).collect(); },
      ThrowsMessage<usage_error>(HasSubstr("column \"at\": expected a field with one value")));
}

}  // namespace
}  // namespace pappus

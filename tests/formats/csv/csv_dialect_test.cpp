// How numbers, dates and first lines may be written in CSV.
#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "formats/csv/csv_reader.h"
#include "formats/csv/csv_writer.h"
#include "formats/support.h"

namespace pappus::testing::dialects {
namespace {

using formats::csv_dialect;
using formats::csv_options;
using formats::csv_reader;
using formats::csv_writer;

struct sale {
  std::string_view buyer;
  double price;
  float weight;
  std::int64_t pieces;
  std::optional<double> rebate;
  date day;
  timestamp moment;

  friend bool operator==(const sale&, const sale&) = default;
};
constexpr std::string_view header = "buyer;price;weight;pieces;rebate;day;moment\n";

/// With ';' between cells.
csv_options options(detail::text_layout layout) {
  return {.delimiter = ';',
          .header = layout.header,
          .missing = layout.missing,
          .dialect = csv_dialect(layout, ';'),
          .skip = layout.skip,
          .comment = layout.comment};
}
const detail::text_layout german{
    .decimal = ',', .thousands = '.', .date = "%d.%m.%Y", .timestamp = "%d.%m.%Y %H:%M"};

/// Reads text, and hands its rows to look(rows).
template <typename Look>
void read(const std::string& text, const csv_options& options, Look look) {
  test_memory memory;
  test_workers team(2);
  csv_reader reader(source_of(text, "sales.csv"), detail::layout_of<sale>(), memory, options);
  look(read_all<sale>(reader, team));
}
std::string error(const std::string& text, const csv_options& options) {
  return message_of<format_error>([&] { read(text, options, [](const auto&) {}); });
}

TEST(csv_dialect, has_its_own_numbers_and_dates) {
  read(std::string(header) +
           "Ada;1.234.567,5;-0,25;12.000;;29.02.2024;1.3.2024 07:05\n"
           "Bob; +1,5e3 ;nan;-7;0,5;01.01.1970;31.12.1969 23:59\n",
       options(german), [](const std::vector<sale>& rows) {
         ASSERT_EQ(rows.size(), 2u);
         EXPECT_EQ(rows[0], (sale{"Ada",
                                  1234567.5,
                                  -0.25f,
                                  12'000,
                                  {},
                                  date::of(2024, 2, 29),
                                  timestamp{(19'783 * 1440LL + 425) * 60'000'000}}));
         EXPECT_EQ(rows[1].price, 1500);
         EXPECT_NE(rows[1].weight, rows[1].weight);
         EXPECT_EQ(rows[1].pieces, -7);
         EXPECT_EQ(rows[1].rebate, 0.5);
         EXPECT_EQ(rows[1].day, date{});
         EXPECT_EQ(rows[1].moment, timestamp{-60'000'000});
       });
}

TEST(csv_dialect, takes_no_other) {
  const auto row = [](std::string_view price, std::string_view pieces, std::string_view day) {
    return std::string(header) + "Ada;" + std::string(price) + ";1;" + std::string(pieces) + ";;" +
           std::string(day) + ";1.1.2024 00:00\n";
  };
  const std::string where = "sales.csv: row 1 (line 2), column ";
  const auto decimal_comma = options({.decimal = ',', .timestamp = "%d.%m.%Y %H:%M"});
  EXPECT_EQ(error(row("1.5", "1", "2024-01-01"), decimal_comma),
            where + "\"price\": expected a number with \",\" before its decimals, got \"1.5\"");
  for (const auto* const price : {"1,5,5", "1.,5", ".500", "1..000", "1,000.5", "5.", "12.34",
                                  "1.2.3", "1.000.00", "1234.567", "1e1.000"})
    EXPECT_EQ(error(row(price, "1", "1.1.2024"), options(german)),
              where + "\"price\": expected a number with \",\" before its decimals, got \"" +
                  price + '"');
  EXPECT_EQ(error(row("1", "1.000,5", "1.1.2024"), options(german)),
            where + "\"pieces\": expected a 64-bit integer, got \"1.000,5\"");
  EXPECT_EQ(error(row("1", "1", "2024-01-01"), options(german)),
            where + "\"day\": expected a date as %d.%m.%Y, got \"2024-01-01\"");
  EXPECT_EQ(error(row(std::string(600, '1'), "1", "1.1.2024"), options(german)).substr(0, 60),
            (where + "\"price\": expected a number with \",\"").substr(0, 60));
}

TEST(csv_dialect, marks_are_no_part_of_numbers) {
  const auto refused = [](const detail::text_layout& layout) {
    return message_of<usage_error>([&] { csv_dialect(layout, ';'); });
  };
  EXPECT_EQ(refused({.decimal = ';'}),
            "csv_options::decimal: expected a mark such as '.' or ',' that isn't the delimiter, "
            "got \";\"");
  EXPECT_EQ(refused({.thousands = '0'}),
            "csv_options::thousands: expected a mark such as '.' or ',' that isn't the delimiter, "
            "got \"0\"");
  EXPECT_EQ(refused({.thousands = '.'}),
            "csv_options: expected different marks for decimal and thousands, got \".\" for both");
  EXPECT_EQ(refused({.date = "%Y"}),
            "csv_options::date: expected a year (%Y), a month (%m), a day (%d), and %p where there "
            "is %I, got \"%Y\"");
  EXPECT_EQ(
      refused({.date = "\"%F\""}),
      "csv_options: expected the form of a date in one line, without quotes, and without spaces "
      "around it, got \"\"%F\"\"");
  EXPECT_EQ(
      refused({.timestamp = " %F %T"}),
      "csv_options: expected the form of a date in one line, without quotes, and without spaces "
      "around it, got \" %F %T\"");
}

TEST(csv_dialect, is_written_as_it_is_read) {
  constexpr unsigned seed = 12;
  RecordProperty("seed", seed);
  std::mt19937_64 random(seed);
  std::vector<sale> rows;
  for (int i = 0; i < 3000; ++i) {
    const auto minutes = static_cast<std::int64_t>(random() % 100'000'000) - 30'000'000;
    rows.push_back({i % 2 == 0 ? "a;b" : "1,5",
                    static_cast<double>(static_cast<std::int64_t>(random())) / 1024,
                    static_cast<float>(random() % 1000) / 8,
                    static_cast<std::int64_t>(random()),
                    {},
                    date{static_cast<std::int32_t>(random() % 50'000)},
                    timestamp{minutes * 60'000'000}});
    if (i % 3 == 0) rows.back().rebate = 0.5 * i;
  }
  const temporary_folder folder;
  const auto path = folder.file("sales.csv");
  for (const auto& layout :
       {german,
        detail::text_layout{.thousands = ' ', .date = "%b; %e %Y", .timestamp = "%F %I;%M%p"}}) {
    test_memory memory;
    test_workers team(3);
    csv_writer writer(path, detail::layout_of<sale>(), memory, options(layout));
    writer.append(team, reinterpret_cast<const std::byte*>(rows.data()), std::ssize(rows));
    writer.close();
    csv_reader reader(formats::open_file(path), detail::layout_of<sale>(), memory, options(layout));
    EXPECT_EQ(read_all<sale>(reader, team, 777), rows);
  }
}

TEST(csv_dialect, quotes_dates_that_have_the_delimiter) {
  struct day_row {
    date day;
    int n;
  };
  const std::vector<day_row> rows{{date::of(2024, 3, 7), 1}};
  const temporary_folder folder;
  const auto path = folder.file("days.csv");
  test_memory memory;
  test_workers team(1);
  csv_writer writer(path, detail::layout_of<day_row>(), memory,
                    {.dialect = csv_dialect({.date = "%b %e, %Y"}, ',')});
  writer.append(team, reinterpret_cast<const std::byte*>(rows.data()), 1);
  writer.close();
  EXPECT_EQ(content_of(path), "day,n\n\"Mar  7, 2024\",1\n");
}

TEST(csv_dialect, leaves_out_lines_before_the_header) {
  const std::string rows = std::string(header) + "Ada;1;1;1;;2024-01-01;2024-01-01 00:00:00\n";
  const auto first = [](const std::vector<sale>& read) {
    ASSERT_EQ(read.size(), 1u);
    EXPECT_EQ(read[0].buyer, "Ada");
  };
  read("A report\nmade \"today\n" + rows, options({.skip = 2}), first);
  read("# a\n#\n" + rows, options({.comment = '#'}), first);
  read("A report\r\n# with ; and \"\n" + rows, options({.skip = 1, .comment = '#'}), first);
  read("\xEF\xBB\xBF# a\n" + rows, options({.comment = '#'}), first);
  const std::string much = std::string(20'000, '#') + "\n";
  read(much + much + rows, options({.comment = '#'}), first);
  read("# a\nAda;1;1;1;;2024-01-01;2024-01-01 00:00:00\n",
       options({.header = false, .comment = '#'}), first);

  EXPECT_EQ(error("# a\n" + rows + "Bob;x;1;1;;2024-01-01;2024-01-01 00:00:00\n",
                  options({.comment = '#'})),
            "sales.csv: row 2 (line 4), column \"price\": expected a number, got \"x\"");
  EXPECT_EQ(error("one\ntwo\n", options({.skip = 2})),
            "sales.csv: line 3: expected a header line with the names of columns, got the end of "
            "the file");
  EXPECT_EQ(error("# one", options({.comment = '#'})),
            "sales.csv: expected a header line with the names of columns, got an empty file");
  read("# one\n", options({.header = false, .comment = '#'}),
       [](const auto& none) { EXPECT_TRUE(none.empty()); });
}

TEST(csv_dialect, first_lines_are_numbers_of_lines_and_marks) {
  const auto refused = [](const detail::text_layout& layout) {
    return message_of<usage_error>([&] { read("", options(layout), [](const auto&) {}); });
  };
  EXPECT_EQ(refused({.skip = -1}), "csv_options::skip: expected 0 lines or more, got -1");
  for (const char mark : {'a', '"', '\n', ';', '-'})
    EXPECT_TRUE(refused({.comment = mark})
                    .starts_with("csv_options::comment: expected a mark such as '#', got \""))
        << mark;
}

TEST(csv_dialect, a_file_begins_as_it_was_written) {
  struct word {
    std::string_view text;
  };
  const std::vector<word> rows{{"#first"},
                               {"#second"},
                               {"third"},
                               {"\xEF\xBB\xBF"
                                "fourth"}};
  const temporary_folder folder;
  const auto path = folder.file("words.csv");
  for (std::size_t from = 0; from < rows.size(); ++from)
    for (const bool has_header : {false, true}) {
      const csv_options how{.header = has_header, .comment = '#'};
      const auto layout = bound<word>({column("#text", &word::text)});
      test_memory memory;
      test_workers team(1);
      csv_writer writer(path, layout, memory, how);
      writer.append(team, reinterpret_cast<const std::byte*>(rows.data() + from),
                    std::ssize(rows) - static_cast<std::int64_t>(from));
      writer.close();
      csv_reader reader(formats::open_file(path), layout, memory, how);
      const auto got = read_all<word>(reader, team);
      ASSERT_EQ(got.size(), rows.size() - from);
      for (std::size_t i = 0; i < got.size(); ++i) EXPECT_EQ(got[i].text, rows[from + i].text);
    }
}

TEST(csv_dialect, is_utf_8) {
  using namespace std::string_literals;
  EXPECT_EQ(error("\xFF\xFE"s + "b\0u\0"s, options({})),
            "sales.csv: expected UTF-8 text, got UTF-16; convert it: iconv -f UTF-16 -t UTF-8 "
            "sales.csv");
  EXPECT_EQ(error("\xFE\xFF\0b"s, options({})).substr(0, 43),
            "sales.csv: expected UTF-8 text, got UTF-16;");
  EXPECT_EQ(error("\xFF\xFE\0\0b\0\0\0"s, options({})).substr(0, 43),
            "sales.csv: expected UTF-8 text, got UTF-32;");
}

}  // namespace
}  // namespace pappus::testing::dialects

// Missing values in CSV: which cells they are, and how they are written.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "formats/csv/csv_reader.h"
#include "formats/csv/csv_writer.h"
#include "formats/support.h"

namespace pappus::testing::csv_missing {
namespace {

using formats::csv_options;
using formats::csv_reader;
using formats::csv_writer;

struct flight {
  std::optional<std::string_view> carrier;
  std::optional<std::int32_t> delay;
  std::optional<double> distance;
  std::optional<bool> late;
  std::optional<date> day;
  std::optional<timestamp> moment;
  float taxi;

  friend bool operator==(const flight& a, const flight& b) {
    return a.carrier == b.carrier && a.delay == b.delay && a.distance == b.distance &&
           a.late == b.late && a.day == b.day && a.moment == b.moment &&
           (a.taxi == b.taxi || (a.taxi != a.taxi && b.taxi != b.taxi));
  }
};

detail::record_layout layout() { return detail::layout_of<flight>(); }

constexpr std::string_view header = "carrier,delay,distance,late,day,moment,taxi\n";

/// Reads rows, and hands them to look(rows) while their text is there.
template <typename Look>
void read(std::string_view rows, const csv_options& options, Look look) {
  test_memory memory;
  test_workers team(2);
  const auto text = std::string(header).append(rows);
  csv_reader reader(source_of(text), layout(), memory, options);
  look(read_all<flight>(reader, team));
}
template <typename Look>
void read(std::string_view rows, Look look) {
  read(rows, csv_options{}, look);
}

std::string error(std::string_view rows, const csv_options& options = {}) {
  return message_of<format_error>([&] { read(rows, options, [](const auto&) {}); });
}

TEST(csv_missing, is_an_empty_cell) {
  read("KL,-3,1.5,true,2024-02-29,2024-02-29 12:00:00,2\n,,,,,,\n , , , , , , \n",
       [](const std::vector<flight>& rows) {
         ASSERT_EQ(rows.size(), 3u);
         EXPECT_EQ(rows[0], (flight{"KL", -3, 1.5, true, date::of(2024, 2, 29),
                                    timestamp{(19782 * 24 + 12) * 3'600'000'000LL}, 2.0f}));
         EXPECT_EQ(rows[1], (flight{{}, {}, {}, {}, {}, {}, NAN}));
         EXPECT_EQ(rows[2], (flight{" ", {}, {}, {}, {}, {}, NAN})) << "spaces are text";
       });
}

TEST(csv_missing, is_an_empty_cell_in_quotes_but_for_text) {
  read("\"\",\"\",\"\",\"\",\"\",\"\",\"\"\n", [](const std::vector<flight>& rows) {
    EXPECT_EQ(rows.at(0), (flight{"", {}, {}, {}, {}, {}, NAN}));
  });
}

TEST(csv_missing, is_what_the_options_say) {
  const csv_options options{.missing = {"NA", "null", "-99"}};
  read("NA,null,NA, NA ,NA,null,NA\n\"NA\",-99,-99,1,,,-99\nNAN,99,NaN,0,,,1\n", options,
       [](const std::vector<flight>& rows) {
         ASSERT_EQ(rows.size(), 3u);
         EXPECT_EQ(rows[0], (flight{{}, {}, {}, {}, {}, {}, NAN}));
         EXPECT_EQ(rows[1], (flight{"NA", {}, {}, true, {}, {}, NAN})) << "in quotes it is text";
         EXPECT_EQ(rows[2].carrier, "NAN");
         EXPECT_EQ(rows[2].delay, 99);
         EXPECT_NE(*rows[2].distance, *rows[2].distance) << "NaN is there";
       });
}

TEST(csv_missing, is_in_quotes_what_the_options_say_where_that_is_no_value) {
  const csv_options options{.missing = {"NA", "-99"}};
  read("\"NA\",\"NA\",\"NA\",\"NA\",\"NA\",\" NA \",\"NA\"\n\"-99\",\"-99\",-99,0,,,\"-99\"\n",
       options, [](const std::vector<flight>& rows) {
         ASSERT_EQ(rows.size(), 2u);
         EXPECT_EQ(rows[0], (flight{"NA", {}, {}, {}, {}, {}, NAN}));
         EXPECT_EQ(rows[1], (flight{"-99", -99, {}, false, {}, {}, -99}));
       });
}

TEST(csv_missing, has_a_remedy_where_it_has_no_form) {
  EXPECT_EQ(error("KL,NA,,,,,\n"),
            "flights.csv: row 1 (line 2), column \"delay\": expected a 32-bit integer, got "
            "\"NA\"; if that stands for a missing value, make the field a std::optional and name "
            "the text in csv_options::missing");
  EXPECT_EQ(error("KL,\"NA\",,,,,\n"),
            "flights.csv: row 1 (line 2), column \"delay\": expected a 32-bit integer, got "
            "\"NA\"; if that stands for a missing value, make the field a std::optional and name "
            "the text in csv_options::missing");
}

TEST(csv_missing, texts_are_those_of_cells) {
  for (const std::string text : {"a,b", " NA", "\"", "N\nA"}) {
    SCOPED_TRACE(text);
    const csv_options options{.missing = {"NA", text}};
    const auto message = message_of<usage_error>([&] { read("", options, [](const auto&) {}); });
    EXPECT_TRUE(message.starts_with("csv_options::missing: expected texts such as NA, got \""))
        << message;
  }
}

void write_rows(const std::string& path, const std::vector<flight>& rows,
                const csv_options& options = {}) {
  test_memory memory;
  test_workers team(2);
  csv_writer writer(path, layout(), memory, options);
  writer.append(team, reinterpret_cast<const std::byte*>(rows.data()), std::ssize(rows));
  writer.close();
}

TEST(csv_missing, is_written_as_it_is_read) {
  const temporary_folder folder;
  const auto path = folder.file("flights.csv");
  const std::vector<flight> rows{{"", 1, {}, false, {}, {}, 0.5f},
                                 {{}, {}, {}, {}, {}, {}, NAN},
                                 {"NA", {}, 2.0, {}, {}, {}, 1}};
  write_rows(path, rows);
  EXPECT_EQ(content_of(path), std::string(header) + "\"\",1,,false,,,0.5\n,,,,,,nan\nNA,,2,,,,1\n");
  write_rows(path, rows, {.missing = {"NA", ""}});
  EXPECT_EQ(content_of(path), std::string(header) +
                                  "\"\",1,NA,false,NA,NA,0.5\nNA,NA,NA,NA,NA,NA,nan\n"
                                  "\"NA\",NA,2,NA,NA,NA,1\n");
}

TEST(csv_missing, comes_back_as_it_was) {
  constexpr unsigned seed = 11;
  RecordProperty("seed", seed);
  std::mt19937_64 random(seed);
  const std::string_view texts[] = {"", "NA", "a,b", " ", "\"", "null", "x\ny"};
  std::vector<flight> rows;
  const auto is_there = [&] { return random() % 3 != 0; };
  for (int i = 0; i < 5000; ++i) {
    flight one{{}, {}, {}, {}, {}, {}, static_cast<float>(i) / 8};
    if (is_there()) one.carrier = texts[random() % std::size(texts)];
    if (is_there()) one.delay = static_cast<std::int32_t>(random());
    if (is_there()) one.distance = static_cast<double>(random() % 1000) / 16;
    if (is_there()) one.late = random() % 2 == 0;
    if (is_there()) one.day = date{static_cast<std::int32_t>(random() % 20'000)};
    if (is_there()) one.moment = timestamp{static_cast<std::int64_t>(random() % (1ULL << 50))};
    rows.push_back(one);
  }
  const temporary_folder folder;
  const auto path = folder.file("flights.csv");
  for (const csv_options& options :
       {csv_options{}, csv_options{.missing = {"NA"}},
        csv_options{.delimiter = ';', .header = false, .missing = {"null", "NA"}}}) {
    write_rows(path, rows, options);
    test_memory memory;
    test_workers team(3);
    csv_reader reader(formats::open_file(path), layout(), memory, options);
    EXPECT_EQ(read_all<flight>(reader, team, 777), rows);
  }
}

TEST(csv_missing, may_be_a_number_of_any_form) {
  for (const char* const text : {"NaN", "nan", "inf", "-99", "1e3", "+5", "1e999"}) {
    SCOPED_TRACE(text);
    const csv_options options{.missing = {text}};
    const std::string cell(text);
    read(",," + cell + ",,,," + cell + "\n", options, [](const std::vector<flight>& rows) {
      EXPECT_EQ(rows.at(0), (flight{{}, {}, {}, {}, {}, {}, NAN}));
    });
    read(",, " + cell + ",,,," + cell + " \n", options, [](const std::vector<flight>& rows) {
      EXPECT_EQ(rows.at(0), (flight{{}, {}, {}, {}, {}, {}, NAN}));
    });
  }
}

TEST(csv_missing, values_that_look_so_are_quoted) {
  const temporary_folder folder;
  const auto path = folder.file("flights.csv");
  const std::vector<flight> rows{{"3", 3, 1.5, true, {}, {}, 3}, {{}, {}, {}, {}, {}, {}, 1.5f}};
  for (const csv_options& options :
       {csv_options{.missing = {"3"}}, csv_options{.missing = {"1.5", "true"}}}) {
    write_rows(path, rows, options);
    test_memory memory;
    test_workers team(1);
    csv_reader reader(formats::open_file(path), layout(), memory, options);
    EXPECT_EQ(read_all<flight>(reader, team), rows) << content_of(path);
  }
}

TEST(csv_missing, alone_in_a_line_needs_a_text) {
  struct word {
    std::optional<std::string_view> text;
  };
  struct number {
    std::optional<int> n;
  };
  const temporary_folder folder;
  const auto path = folder.file("lines.csv");
  test_memory memory;
  test_workers team(1);
  EXPECT_EQ(message_of<usage_error>([&] { csv_writer(path, detail::layout_of<word>(), memory); }),
            path +
                ": column \"text\": expected a text for what is missing, as a line without "
                "text is no row; give it as csv_options{.missing = {\"NA\"}}");
  const std::vector<number> rows{{1}, {}, {2}, {}};
  {
    csv_writer writer(path, detail::layout_of<number>(), memory);
    writer.append(team, reinterpret_cast<const std::byte*>(rows.data()), std::ssize(rows));
    writer.close();
  }
  EXPECT_EQ(content_of(path), "n\n1\n\"\"\n2\n\"\"\n");
  csv_reader reader(formats::open_file(path), detail::layout_of<number>(), memory);
  const auto read = read_all<number>(reader, team);
  ASSERT_EQ(read.size(), rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) EXPECT_EQ(read[i].n, rows[i].n);
}

}  // namespace
}  // namespace pappus::testing::csv_missing

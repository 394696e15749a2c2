#include "formats/bad_rows.h"

#include <gtest/gtest.h>

#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "formats/csv/csv_reader.h"
#include "formats/json/json_reader.h"
#include "formats/support.h"
#include "pappus/pappus.h"

namespace pappus::testing {
namespace {

struct parcel {
  std::string_view to;
  std::int32_t grams;
};

detail::record_layout parcel_layout(const bad_row_log& log) {
  auto layout = bound<parcel>({column("to", &parcel::to), column("grams", &parcel::grams)});
  layout.text.bad_rows = detail::tells(log);
  return layout;
}

/// The grams of the rows, then the bad ones.
std::string outcome_of(formats::reader& reader, const bad_row_log& log, unsigned threads,
                       std::int64_t capacity) {
  test_workers team(threads);
  std::string text;
  for (const auto& one : read_all<parcel>(reader, team, capacity))
    text += std::string(one.to) + std::to_string(one.grams) + " ";
  std::ostringstream bad;
  for (const auto& row : log.first()) bad << row << "\n";
  return text + "| " + std::to_string(log.count()) + "\n" + bad.str();
}

std::string csv_outcome(std::string_view text, unsigned threads = 2, std::int64_t capacity = 1000,
                        std::size_t slab = std::size_t{1} << 20,
                        std::size_t piece = std::size_t{1} << 16) {
  const bad_row_log log(5);
  const auto layout = parcel_layout(log);
  test_memory memory;
  formats::csv_options options;
  options.bad_rows = layout.text.bad_rows;
  options.slab_bytes = slab;
  options.piece_bytes = piece;
  formats::csv_reader reader(source_of(text, "p.csv"), layout, memory, options);
  return outcome_of(reader, log, threads, capacity);
}

std::string json_outcome(std::string_view text, unsigned threads = 2, std::int64_t capacity = 1000,
                         std::size_t slab = std::size_t{1} << 20,
                         std::size_t piece = std::size_t{1} << 16) {
  const bad_row_log log(5);
  test_memory memory;
  formats::json_reader reader(source_of(text, "p.jsonl"), parcel_layout(log), memory, slab, piece);
  return outcome_of(reader, log, threads, capacity);
}

TEST(bad_rows, of_csv_files_are_left_out_and_told) {
  EXPECT_EQ(csv_outcome("to,grams\n"
                        "a,1\n"
                        "b,heavy\n"
                        "c\n"
                        "\"d\nd\",4\n"
                        "e,5,6\n"
                        "f\"f,7\"\n"
                        "g,8"),
            "a1 d\nd4 g8 | 4\n"
            "p.csv: line 3, column \"grams\": expected a 32-bit integer, got \"heavy\"\n"
            "p.csv: line 4: expected 2 cells, got 1\n"
            "p.csv: line 7: expected 2 cells, got more\n"
            "p.csv: line 8, column \"to\": expected no quote inside an unquoted cell, got "
            "\"f\"\"; quote the whole cell and double the quotes in it\n");
}

TEST(bad_rows, of_json_lines_are_left_out_and_told) {
  EXPECT_EQ(json_outcome("{\"to\":\"a\",\"grams\":1}\n"
                         "{\"to\":\"b\",\"grams\":tru}\n"
                         "\n"
                         "{\"to\":\"c\",\"grams\":\"1\"}\n"
                         "[]\n"
                         "{\"to\":\"d\",\"grams\":4}"),
            "a1 d4 | 3\n"
            "p.jsonl: line 2: expected JSON, got \"tru}\" at byte 19 (invalid literal)\n"
            "p.jsonl: line 4, column \"grams\": expected a 32-bit integer, got \"1\"\n"
            "p.jsonl: line 5: expected an object, got \"[]\"; JSON lines have one a line, which "
            "jq -c '.[]' makes of an array\n");
}

TEST(bad_rows, may_be_all_rows_or_none) {
  EXPECT_EQ(csv_outcome("to,grams\na,b\n"),
            "| 1\np.csv: line 2, column \"grams\": expected a 32-bit integer, got \"b\"\n");
  EXPECT_EQ(csv_outcome("to,grams\n"), "| 0\n");
  EXPECT_EQ(csv_outcome("to,grams\na,1\n"), "a1 | 0\n");
  EXPECT_EQ(json_outcome("7\n"), "| 1\np.jsonl: line 1: expected an object, got \"7\"\n");
}

TEST(bad_rows, are_the_same_whatever_threads_and_sizes) {
  std::string csv = "to,grams\n", json;
  for (int i = 0; i < 500; ++i) {
    const bool bad = i % 7 == 3 || i / 50 == 4;
    csv += i % 31 == 9 ? "\"x\ny\"," : "x,";
    csv += (bad ? "none" : std::to_string(i)) + "\n";
    json += "{\"to\":\"x\",\"grams\":" + (bad ? "\"?\"" : std::to_string(i)) + "}\n";
  }
  const auto of_csv = csv_outcome(csv), of_json = json_outcome(json);
  EXPECT_NE(of_csv.find("x499 | 114\np.csv: line 5, "), of_csv.npos) << of_csv;
  EXPECT_NE(of_json.find("x499 | 114\np.jsonl: line 4, "), of_json.npos) << of_json;
  for (const unsigned threads : {1u, 3u})
    for (const std::int64_t capacity : {1, 3, 100})
      for (const std::size_t slab : {10, 1000}) {
        ASSERT_EQ(csv_outcome(csv, threads, capacity, slab, slab / 3 + 1), of_csv);
        ASSERT_EQ(json_outcome(json, threads, capacity, slab, slab / 3 + 1), of_json);
      }
}

TEST(bad_rows, are_counted_once_however_often_a_file_is_read) {
  const std::string_view text = "to,grams\na,1\nb,?\nc,3\nd,?\n";
  const bad_row_log log;
  const auto layout = parcel_layout(log);
  test_memory memory;
  test_workers team(2);
  formats::csv_options options;
  options.bad_rows = layout.text.bad_rows;
  formats::csv_reader one(source_of(text, "p.csv"), layout, memory, options);
  formats::csv_reader other(source_of(text, "p.csv"), layout, memory, options);
  parcel row{};
  EXPECT_EQ(other.read(team, reinterpret_cast<std::byte*>(&row), 1), 1);
  EXPECT_EQ(one.count(team), 2);
  EXPECT_EQ(read_all<parcel>(one, team).size(), 2u);
  EXPECT_EQ(read_all<parcel>(other, team).size(), 1u);
  EXPECT_EQ(log.count(), 2);
  EXPECT_EQ(log.first().size(), 2u);
}

TEST(bad_rows, do_not_hide_that_quotes_are_never_closed) {
  EXPECT_EQ(
      message_of<format_error>([] { csv_outcome("to,grams\na,1\nb\",2\nc,3\n", 2, 1000, 4, 2); }),
      "p.csv: row 2 (line 3), column \"to\": expected no quote inside an unquoted cell, got "
      "\"b\"\"; quote the whole cell and double the quotes in it");
}

TEST(bad_rows, depend_on_columns_that_nobody_looks_at) {
  const bad_row_log log;
  auto layout = parcel_layout(log);
  layout.columns[1].wanted = false;
  test_memory memory;
  formats::json_reader reader(source_of("{\"to\":\"a\",\"grams\":\"?\"}", "p.jsonl"), layout,
                              memory);
  EXPECT_EQ(outcome_of(reader, log, 1, 10).substr(0, 4), "| 1\n");
}

TEST(bad_rows, are_counted_by_queries_over_several_files) {
  const temporary_folder folder;
  std::vector<std::string> paths;
  for (int f = 0; f < 9; ++f) {
    paths.push_back(folder.file("p" + std::to_string(f) + ".csv"));
    std::string text = "to,grams\n";
    for (int i = 0; i < 1000; ++i) text += "x," + (i % 10 == f ? "?" : std::to_string(i)) + "\n";
    create_file(paths.back(), text);
  }
  for (const unsigned threads : {1u, 4u}) {
    session s(options{.threads = threads, .chunk_rows = 100});
    const bad_row_log log(3);
    const auto parcels = s.csv<parcel>(paths, csv_options{.bad_rows = log});
    EXPECT_EQ(log.count(), 0) << "nothing is read before somebody looks";
    EXPECT_EQ(parcels.count().get(), 8100);
    EXPECT_EQ(log.count(), 900);
    EXPECT_EQ(parcels.group_by(&parcel::to).count().collect()[0].value, 8100);
    EXPECT_EQ(parcels.sort_by(&parcel::grams).collect().size(), 8100u);
    EXPECT_EQ(log.count(), 900);
    ASSERT_EQ(log.first().size(), 3u);
    EXPECT_EQ(log.first()[2].file, paths[0]);
    EXPECT_EQ(log.first()[2].line, 22);
    EXPECT_EQ(s.csv<parcel>(paths[0], csv_options{.bad_rows = log}).count().get(), 900);
    EXPECT_EQ(log.count(), 1000) << "another call opens another source";
    EXPECT_THROW(s.csv<parcel>(paths).collect(), format_error);
  }
  const auto path = folder.file("p.jsonl");
  create_file(path, "{\"to\":\"a\",\"grams\":1}\n{\"to\":\"a\"}\n");
  session s;
  const bad_row_log log;
  EXPECT_EQ(s.json<parcel>(path, json_options{.bad_rows = log}).sum(&parcel::grams).get(), 1);
  EXPECT_EQ(log.count(), 1);
}

}  // namespace
}  // namespace pappus::testing

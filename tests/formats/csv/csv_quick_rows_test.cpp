// Rows that are parsed quickly say what they say to the parser that understands all.
#include "formats/csv/csv_quick_rows.h"

#include <charconv>
#include <cstring>
#include <limits>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "formats/csv/csv_header.h"
#include "formats/csv/csv_quick_cells.h"
#include "formats/support.h"
#include "pappus/str.h"

namespace pappus::testing::csv_quick_rows {
namespace {

using formats::csv_plan;
using formats::csv_problem;

/// Behind the text, for loads that reach past it.
constexpr std::size_t behind = 64;

template <typename T>
void expect_integer(const std::string& text) {
  const auto padded = text + std::string(behind, '7');
  T found = 0, expected = 0;
  const bool good = formats::quick_integer<T>(padded.data(), text.size(), found);
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), expected);
  const bool is_number = code == std::errc() && end == text.data() + text.size();
  if (good) {
    ASSERT_TRUE(is_number) << text;
    ASSERT_EQ(found, expected) << text;
  } else {
    ASSERT_TRUE(!is_number || text.size() > 16) << text << " isn't understood";
  }
}

TEST(csv_quick_cells, integers_are_those_of_from_chars) {
  std::mt19937_64 random(5);
  for (int length = 1; length <= 19; ++length)
    for (int i = 0; i < 2'000; ++i) {
      std::string text(static_cast<std::size_t>(length), '0');
      for (char& c : text) c = static_cast<char>('0' + random() % 10);
      if (random() % 3 == 0) text[0] = '-';
      if (random() % 4 == 0) text[random() % text.size()] = "-+ /:.,x9\0"[random() % 10];
      expect_integer<std::int8_t>(text);
      expect_integer<std::int16_t>(text);
      expect_integer<std::int32_t>(text);
      expect_integer<std::int64_t>(text);
      expect_integer<std::uint8_t>(text);
      expect_integer<std::uint16_t>(text);
      expect_integer<std::uint32_t>(text);
      expect_integer<std::uint64_t>(text);
    }
  for (const auto edge : {std::numeric_limits<std::int32_t>::min(), -32'769, -129, -128, -1, 0, 127,
                          128, 255, 256, 65'535, 65'536, std::numeric_limits<std::int32_t>::max()})
    for (const std::int64_t near :
         {edge - std::int64_t{1}, std::int64_t{edge}, edge + std::int64_t{1}}) {
      expect_integer<std::int8_t>(std::to_string(near));
      expect_integer<std::uint8_t>(std::to_string(near));
      expect_integer<std::int16_t>(std::to_string(near));
      expect_integer<std::uint16_t>(std::to_string(near));
      expect_integer<std::int32_t>(std::to_string(near));
      expect_integer<std::uint32_t>(std::to_string(near));
    }
}

void expect_date(const std::string& text) {
  const auto padded = text + std::string(behind, '7');
  std::int32_t days = 0;
  const auto expected = str::parse<date>(text);
  ASSERT_EQ(formats::quick_date(padded.data(), days), expected.has_value()) << text;
  if (expected) {
    ASSERT_EQ(days, expected->days) << text;
  }
}

TEST(csv_quick_cells, dates_are_all_there_are) {
  const auto two = [](int n) { return std::to_string(100 + n).substr(1); };
  for (int year = 0; year <= 9'999; ++year)
    for (int month = 0; month <= 13; ++month)
      for (const int day : {0, 1, 17, 28, 29, 30, 31, 32})
        expect_date(std::to_string(10'000 + year).substr(1) + "-" + two(month) + "-" + two(day));
  const std::string good = "2024-02-29";
  for (std::size_t at = 0; at < good.size(); ++at)
    for (int c = 0; c < 256; ++c) {
      auto text = good;
      text[at] = static_cast<char>(c);
      if (text != str::trim(text)) continue;  // which the reader does before
      expect_date(text);
    }
}

struct entry {
  std::string_view name;
  std::optional<std::string_view> town;
  std::int32_t number;
  std::optional<std::int16_t> small;
  std::optional<double> size;
  date day;
  std::optional<bool> late;
};

constexpr std::string_view header = "name,unused,town,number,small,size,day,late,unused too\n";

class rows_of {
 public:
  /// \param damaged  some cells, and rows, are
  rows_of(unsigned seed, bool damaged) : damaged_(damaged), random_(seed) {}

  std::string row(char delimiter) {
    std::string text;
    const auto add = [&](std::string cell) {
      if (odd(20) && cell.find('"') == cell.npos) cell = '"' + cell + '"';
      if (damaged_ && odd(150)) cell.insert(random_() % (cell.size() + 1), 1, any());
      text += (text.empty() ? "" : std::string(1, delimiter)) + cell;
    };
    text.reserve(64);
    add("n" + std::to_string(random_() % 50));
    add(odd(3) ? "" : std::string(random_() % (odd(30) ? 9'000 : 12), 'u'));
    add(odd(4) ? "" : odd(9) && !damaged_ ? "NA" : "a town " + std::to_string(random_() % 900));
    add(std::to_string(static_cast<std::int32_t>(random_()) >> random_() % 32));
    add(odd(3) ? "" : std::to_string(random_() % 30'000));
    add(odd(5) ? "" : "1" + std::to_string(random_() % 1'000) + ".5e-3");
    add("20" + std::to_string(10 + random_() % 90) + "-0" + std::to_string(1 + random_() % 9) +
        "-1" + std::to_string(random_() % 10));
    add(odd(3) ? "" : odd(2) ? "true" : "0");
    add(odd(60) ? "\"a \"\"b\"\"" + std::string(1, delimiter) + "\nc\"" : "");
    if (damaged_ && odd(300)) text += delimiter;
    return text + (odd(3) ? "\r\n" : "\n");
  }

 private:
  bool odd(unsigned in) { return random_() % in == 0; }
  char any() { return ",;\"\r -+x\n\0"[random_() % 10]; }

  const bool damaged_;
  std::mt19937 random_;
};

/// Records, as bytes and text, or the problem of the first bad row.
std::string told_by(const auto& parse, const csv_plan& plan, const std::string& text,
                    std::size_t bytes) {
  std::string told;
  std::vector<std::byte> records(plan.record_bytes * 3);
  const char* at = text.data();
  const char* const end = at + bytes;
  try {
    for (std::int64_t row = 0; at < end; ++row) {
      auto* const record = records.data() + static_cast<std::size_t>(row % 3) * plan.record_bytes;
      if (row % 3 == 0) std::ranges::fill(records, std::byte{0xEE});
      at = parse(at, record, 3 - row % 3);
      entry one;
      std::memcpy(&one, record, sizeof one);
      told += std::string(one.name) + "|" + std::string(one.town.value_or("none")) + "|";
      one.name = {};
      if (one.town) std::memset(record + offsetof(entry, town), 0, sizeof(std::string_view));
      std::memset(record, 0, sizeof one.name);
      told.append(reinterpret_cast<const char*>(record), plan.record_bytes) +=
          std::to_string(at - text.data()) + "\n";
    }
  } catch (const csv_problem& problem) {
    told += std::to_string(problem.column) + problem.text;
    return told;
  }
  return told + "all";
}

void expect_same(const csv_plan& plan, const std::string& text, std::size_t bytes, bool is_good) {
  test_memory memory;
  const auto own = [&](bool quick) {
    formats::string_arena strings(memory, plan.string_columns, 1 << 16, "test");
    formats::csv_row_parser all(plan, strings);
    formats::csv_quick_rows rows(plan, all, strings, text.data() + bytes);
    const auto parse = [&](const char* at, std::byte* record, std::int64_t left) {
      return quick ? rows.parse(at, record, left) : all.parse(at, text.data() + bytes, record);
    };
    return told_by(parse, plan, text, bytes);
  };
  const auto expected = own(false);
  ASSERT_EQ(own(true), expected) << text.substr(0, bytes);
  if (is_good) {
    ASSERT_TRUE(expected.ends_with("all")) << expected;
  }
}

csv_plan plan_of(const formats::csv_options& options, std::vector<bool> wanted) {
  std::string names(header);
  std::ranges::replace(names, ',', options.delimiter);
  const auto source = formats::borrow_bytes("f.csv", std::as_bytes(std::span(names)));
  auto layout = detail::layout_of<entry>();
  for (std::size_t i = 0; i < wanted.size(); ++i) layout.columns[i].wanted = wanted[i];
  return plan_columns("f.csv", read_csv_header(*source, layout, options), layout, options);
}

TEST(csv_quick_rows, say_what_they_say_to_the_whole_parser) {
  const std::vector<std::vector<bool>> all_wanted{{},
                                                  {true, true, false, true, false, false, true},
                                                  {false, false, false, false, true},
                                                  std::vector<bool>(7, false),
                                                  {false, false, false, false, false, false, true}};
  for (unsigned seed = 0; seed < 40; ++seed)
    for (const auto& wanted : all_wanted) {
      formats::csv_options options;
      options.delimiter = seed % 3 == 2 ? ';' : ',';
      if (seed % 4 == 3) options.missing = {"NA"};
      const auto plan = plan_of(options, wanted);
      rows_of rows(seed, seed % 2 == 0);
      std::string text;
      while (text.size() < 30'000) {
        const auto row = rows.row(options.delimiter);
        // Rows are complete where their quotes are.
        if (std::ranges::count(row, '"') % 2 == 0) text += row;
      }
      const auto bytes = text.size();
      text.append(behind, ',');
      ASSERT_NO_FATAL_FAILURE(expect_same(plan, text, bytes, seed % 2 == 1)) << seed;
    }
}

TEST(csv_quick_rows, end_where_the_text_does) {
  const auto plan = plan_of({}, {});
  const std::string row = "n,u,t,1,2,3.5,2024-02-29,1,\n";
  for (int rows = 1; rows < 300; ++rows) {
    std::string text;
    for (int i = 0; i < rows; ++i) text += row;
    const auto bytes = text.size();
    text.append(behind, '\n');  // which isn't looked at
    ASSERT_NO_FATAL_FAILURE(expect_same(plan, text, bytes, true)) << rows;
  }
}

}  // namespace
}  // namespace pappus::testing::csv_quick_rows

// Files of Arrow's own format as sources and targets of queries: the rows of CSV files that say the
// same, in much memory or little.
#include <filesystem>
#include <random>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "formats/arrow/arrow_support.h"
#include "pappus/pappus.h"
#include "session/column_files.h"
#include "support/scaled_memory.h"
#include "support/spill_settings.h"

namespace pappus::column_files {
namespace {

using ::testing::HasSubstr;
using testing::scaled_mib;

TEST(arrow_files, have_the_rows_of_others_however_they_are_named) {
  PAPPUS_NEEDS_ARROW();
  const some_files files(3'000, ".arrow");
  session plain({.threads = 1, .devices = "cpu"});
  const auto expected = programs(plain.csv<ride>(files.in("rides.csv")), files);
  std::vector<std::string> list;
  for (int i = 0; i < 3; ++i) list.push_back(files.in("rides-" + std::to_string(i) + ".arrow"));
  for (const unsigned threads : {1U, 2U, 3U}) {
    session s({.threads = threads, .chunk_rows = threads == 2 ? 100 : 0, .devices = "cpu"});
    EXPECT_EQ(programs(s.arrow<ride>(files.in("rides-*.arrow")), files), expected);
    EXPECT_EQ(programs(s.read<ride>(list), files), expected);
    EXPECT_EQ(
        programs(s.arrow<ride>(list, column("day", &ride::day), column("price", &ride::price),
                               column("place", &ride::place), column("number", &ride::number)),
                 files),
        expected);
  }
}

class arrow_files_in_little_memory : public testing::scaled_test {};

TEST_F(arrow_files_in_little_memory, stream) {
  PAPPUS_NEEDS_ARROW();
  const some_files files(60'000, ".feather");
  session plain({.threads = 2, .devices = "cpu"});
  const auto expected = programs(plain.csv<ride>(files.in("rides.csv")), files);
  for (const unsigned threads : {1U, 3U}) {
    session s(testing::settings(files.folder, 64 * scaled_mib, threads));
    const auto rows = s.read<ride>(files.in("rides-*.feather"));
    EXPECT_EQ(programs(rows, files), expected);
    rows.sort_by(&ride::place).write(files.in("sorted.arrow"));
    plain.csv<ride>(files.in("rides.csv")).sort_by(&ride::place).write(files.in("a.csv"));
    s.arrow<ride>(files.in("sorted.arrow")).write(files.in("b.csv"));
    EXPECT_TRUE(files.content("a.csv") == files.content("b.csv"));
  }
}

struct anything {
  std::int64_t id;
  std::optional<category> kind;
  std::string_view text;
  std::optional<bool> flag;
  std::optional<std::int16_t> small;
  float x;
  std::optional<timestamp> at;
};

TEST(arrow_files, of_random_tables_say_what_parquet_and_csv_files_do) {
  PAPPUS_NEEDS_ARROW();
  constexpr unsigned seed = 30;
  RecordProperty("seed", seed);
  std::mt19937 random(seed);
  const testing::temporary_folder folder;
  std::vector<std::string> texts;
  for (int i = 0; i < 500; ++i) texts.push_back(std::string(random() % 30, 'a' + i % 26));
  session s({.threads = 3, .devices = "cpu"});
  for (int round = 0; round < 8; ++round) {
    const auto rows = round < 3 ? static_cast<unsigned>(round) : random() % 40'000;
    const auto lacking = 1 + random() % 9;
    std::vector<anything> table;
    for (unsigned i = 0; i < rows; ++i) {
      anything row{};
      row.id = static_cast<std::int64_t>(random()) << random() % 30;
      row.text = texts[random() % texts.size()];
      if (random() % 10 >= lacking) row.kind = category("kind " + std::to_string(random() % 300));
      if (random() % 10 >= lacking) row.flag = random() % 2 == 0;
      if (random() % 10 >= lacking) row.small = static_cast<std::int16_t>(random());
      if (random() % 10 >= lacking) row.at = timestamp{static_cast<std::int64_t>(random()) * 99};
      row.x = static_cast<float>(random()) / 7;
      table.push_back(row);
    }
    const auto in = [&](const char* name) { return folder.file(name); };
    const auto query = s.from(table);
    query.write(in("a.arrow"));
    query.write(in("a.parquet"));
    query.write(in("a.csv"));
    for (const char* name : {"a.arrow", "a.parquet"}) {
      s.read<anything>(in(name)).write(in("b.csv"));
      EXPECT_TRUE(testing::content_of(in("a.csv")) == testing::content_of(in("b.csv"))) << round;
    }
    EXPECT_EQ(s.arrow<anything>(in("a.arrow")).sum(&anything::small).get(),
              s.csv<anything>(in("a.csv")).sum(&anything::small).get());
  }
}

TEST(arrow_files, tell_which_of_them_is_unlike_what_was_asked_for) {
  PAPPUS_NEEDS_ARROW();
  const some_files files(10, ".arrow");
  session s({.threads = 2, .devices = "cpu"});
  s.range(0, 5).map([](int i) { return pair{i, i}; }).write(files.in("rides-3.arrow"));
  EXPECT_EQ(testing::message_of<format_error>(
                [&] { s.arrow<ride>(files.in("rides-*.arrow")).count().get(); }),
            files.in("rides-3.arrow") +
                ": expected a column \"number\", got the columns \"first\", \"second\"");
}

TEST(arrow_files, are_written_for_each_key) {
  PAPPUS_NEEDS_ARROW();
  const some_files files(2'000, ".arrow");
  session s({.threads = 2, .devices = "cpu"});
  const auto all = s.arrow<ride>(files.in("rides-*.arrow"));
  all.write_by([](const ride& r) { return r.number % 5; }, files.in("by/{}.arrow"));
  EXPECT_EQ(s.arrow<ride>(files.in("by/*.arrow")).count().get(), 6'000);
  EXPECT_EQ(s.arrow<ride>(files.in("by/3.arrow"))
                .filter([](const ride& r) { return r.number % 5 != 3; })
                .count()
                .get(),
            0);
}

TEST(arrow_files, appear_when_they_are_complete) {
  PAPPUS_NEEDS_ARROW();
  const some_files files(10, ".arrow");
  session s({.threads = 2, .devices = "cpu"});
  const auto before = files.content("rides-0.arrow");
  EXPECT_THROW(s.range(0, 100'000)
                   .map([](int i) {
                     if (i == 99'999) throw std::runtime_error("no");
                     return pair{i, i};
                   })
                   .write(files.in("rides-0.arrow")),
               std::runtime_error);
  EXPECT_TRUE(files.content("rides-0.arrow") == before);
  EXPECT_THAT(
      testing::message_of<usage_error>([&] { s.range(0, 3).write(files.in("x.arrow.gz")); }),
      HasSubstr("others can't be compressed by gzip"));
  EXPECT_EQ(
      testing::message_of<usage_error>([&] { s.range(0, 3).write(files.in("x.arrows")); }),
      files.in("x.arrows") + ": streams of Arrow's are read, and not written; write an .arrow");
}

}  // namespace
}  // namespace pappus::column_files

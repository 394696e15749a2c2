// Lists of Parquet files in queries: records are made of columns block by block, and sorted where
// memory is short.
#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "formats/arrow/arrow_support.h"
#include "session/articles.h"
#include "support/scaled_memory.h"
#include "support/spill_settings.h"

namespace pappus::lists_of_parquet {
namespace {

using namespace testing::articles;
using testing::scaled_mib;

/// The same rows as JSON lines, and as a Parquet file that was written of these.
struct both_files {
  const testing::spill_folder folder;
  std::vector<content> rows;

  explicit both_files(std::int64_t n) {
    std::filesystem::create_directories(folder.path());
    std::vector<std::string> bytes;
    std::vector<article> articles;
    for (std::int64_t i = 0; i < n; ++i) {
      const auto& row = rows.emplace_back(nth(i));
      bytes.push_back(list<std::string_view>::packed(
          std::vector<std::string_view>(row.tags.begin(), row.tags.end())));
    }
    for (std::size_t i = 0; i < rows.size(); ++i) {
      articles.push_back({rows[i].id, list<std::string_view>::of_packed(bytes[i]), {}});
      if (rows[i].scores) articles.back().scores = list<std::int32_t>::of(*rows[i].scores);
    }
    session s({.devices = "cpu"});
    s.borrow(articles).write(path());
  }
  std::string path(const char* name = "articles.parquet") const {
    return folder.path() + "/" + name;
  }
};

TEST(parquet_lists_in_queries, are_those_that_were_written) {
  PAPPUS_NEEDS_ARROW();
  const both_files files(20'000);
  const auto expected = tags_of(files.rows);
  std::int64_t sum = 0;
  for (const auto& one : files.rows)
    if (one.scores)
      for (const auto score : *one.scores) sum += score;
  for (const unsigned threads : {1U, 3U})
    for (const std::int64_t chunk : {0, 100}) {
      session s({.threads = threads, .chunk_rows = chunk, .devices = "cpu"});
      const auto articles = s.parquet<article>(files.path());
      EXPECT_TRUE(contents_of(articles) == files.rows);
      EXPECT_EQ(
          articles
              .flat_map([](const article& a) { return a.scores.value_or(list<std::int32_t>()); })
              .sum()
              .get(),
          sum);
      EXPECT_EQ(tags_of(articles), expected);
    }
}

TEST(parquet_lists_in_queries, are_sorted_in_little_memory) {
  PAPPUS_NEEDS_ARROW();
  const testing::scaled_memory scaled;
  const both_files files(25'000);
  auto sorted = files.rows;
  std::ranges::stable_sort(sorted, {}, &content::id);
  for (const unsigned threads : {1U, 2U}) {
    const auto memory = (14 + 2 * threads) * scaled_mib;
    session s(testing::settings(files.folder, memory, threads));
    const auto articles = s.parquet<article>(files.path()).sort_by(&article::id);
    EXPECT_TRUE(contents_of(articles) == sorted);
    EXPECT_THAT(articles.count().explain_analyze(), ::testing::HasSubstr("spill file: "));
    articles.write(files.path("sorted.parquet"));
    EXPECT_TRUE(contents_of(s.parquet<article>(files.path("sorted.parquet"))) == sorted);
    EXPECT_LE(s.host_memory_peak(), memory);
    EXPECT_EQ(s.host_memory_used(), 0u);
  }
}

}  // namespace
}  // namespace pappus::lists_of_parquet

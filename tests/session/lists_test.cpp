// Rows that have lists go through operators, memory and the disk as rows with text do.
#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <functional>
#include <optional>
#include <ranges>
#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "pappus/pappus.h"
#include "session/articles.h"
#include "support/scaled_memory.h"
#include "support/spill_settings.h"

namespace pappus::lists {
namespace {

using testing::scaled_mib;
using testing::articles::article;
using testing::articles::content;
using testing::articles::content_of;
using testing::articles::contents_of;
using testing::articles::nth;
using testing::articles::tags_of;

struct a_file {
  const testing::spill_folder folder;
  std::vector<content> rows;

  explicit a_file(std::int64_t n) {
    std::filesystem::create_directories(folder.path());
    std::ofstream file(path());
    for (std::int64_t i = 0; i < n; ++i) {
      const auto& one = rows.emplace_back(nth(i));
      file << "{\"id\":" << one.id << ",\"tags\":[";
      for (const auto& tag : one.tags) file << (&tag == &one.tags[0] ? "\"" : ",\"") << tag << '"';
      file << "],\"scores\":" << (one.scores ? "[" : "null");
      if (one.scores) {
        for (const auto& score : *one.scores)
          file << (&score == &one.scores->front() ? "" : ",") << score;
        file << ']';
      }
      file << "}\n";
    }
  }
  std::string path(const char* name = "articles.jsonl") const { return folder.path() + "/" + name; }
};

options so_much(const a_file& file, std::size_t memory, unsigned threads) {
  return testing::settings(file.folder, memory, threads);
}

TEST(lists, are_read_filtered_and_taken_apart) {
  const a_file file(5'000);
  const auto expected = tags_of(file.rows);
  std::int64_t with_5 = 0, sum = 0;
  for (const auto& one : file.rows) {
    with_5 += std::ranges::count(one.tags, "tag 5") > 0 ? 1 : 0;
    if (one.scores)
      for (const auto score : *one.scores) sum += score;
  }
  for (const unsigned threads : {1U, 3U}) {
    session s(so_much(file, std::size_t{1} << 30, threads));
    const auto articles = s.json<article>(file.path());
    EXPECT_TRUE(contents_of(articles) == file.rows);
    EXPECT_EQ(
        articles.filter([](const article& a) { return a.tags.contains("tag 5"); }).count().get(),
        with_5);
    EXPECT_EQ(articles.filter([](const article& a) { return a.scores.has_value(); })
                  .flat_map([](const article& a) { return *a.scores; })
                  .sum()
                  .get(),
              sum);
    EXPECT_EQ(tags_of(articles), expected);
    const auto pairs = articles
                           .flat_map([](const article& a) {
                             return a.tags | std::views::transform([id = a.id](std::string_view t) {
                                      return pair{id, t};
                                    });
                           })
                           .collect();
    std::size_t at = 0;
    for (const auto& one : file.rows)
      for (const auto& tag : one.tags) {
        ASSERT_LT(at, static_cast<std::size_t>(pairs.size()));
        EXPECT_EQ(pairs[at].first, one.id);
        EXPECT_EQ(pairs[at++].second, tag);
      }
  }
}

TEST(lists, outlive_files_sorts_joins_and_groups) {
  const a_file file(3'000);
  session s(so_much(file, std::size_t{1} << 30, 2));
  auto sorted = file.rows;
  std::ranges::stable_sort(sorted, {}, &content::id);
  const auto articles = s.json<article>(file.path());
  const auto kept = articles.sort_by(&article::id).collect();
  const auto latest =
      articles.group_by([](const article& a) { return a.id % 10; }).top(1, &article::id).collect();
  const auto joined = s.range(std::int64_t{0}, std::int64_t{200'000})
                          .join(articles, std::identity(), &article::id,
                                [](std::int64_t, const article& a) { return a; })
                          .collect();
  std::filesystem::remove(file.path());
  ASSERT_EQ(kept.size(), sorted.size());
  for (std::size_t i = 0; i < sorted.size(); ++i) EXPECT_EQ(content_of(kept[i]), sorted[i]);
  ASSERT_EQ(joined.size(), sorted.size());
  for (std::size_t i = 0; i < sorted.size(); ++i) EXPECT_EQ(content_of(joined[i]), sorted[i]);
  ASSERT_EQ(latest.size(), 10u);
  std::vector<content> greatest(10);
  for (const auto& one : sorted) greatest[static_cast<std::size_t>(one.id % 10)] = one;
  for (std::size_t key = 0; key < 10; ++key) EXPECT_EQ(content_of(latest[key]), greatest[key]);
}

TEST(lists, go_to_the_disk_where_memory_is_short_and_come_back) {
  const testing::scaled_memory scaled;
  const a_file file(15'000);
  auto sorted = file.rows;
  std::ranges::stable_sort(sorted, {}, &content::id);
  for (const unsigned threads : {1U, 2U}) {
    const auto memory = (8 + 2 * threads) * scaled_mib;
    session s(so_much(file, memory, threads));
    const auto articles = s.json<article>(file.path()).sort_by(&article::id);
    EXPECT_TRUE(contents_of(articles) == sorted);
    articles.write(file.path("sorted.jsonl"));
    EXPECT_TRUE(contents_of(s.json<article>(file.path("sorted.jsonl"))) == sorted);
    EXPECT_THAT(articles.count().explain_analyze(), ::testing::HasSubstr("spill file: "));
    EXPECT_LE(s.host_memory_peak(), memory);
    EXPECT_EQ(s.host_memory_used(), 0u);
  }
}

TEST(lists, of_a_programs_own_are_records_as_others) {
  const std::vector<std::int32_t> scores{3, 1, 2};
  const auto tags = list<std::string_view>::packed(std::vector<std::string_view>{"a", "bc"});
  const std::vector<article> rows{
      {1, list<std::string_view>::of_packed(tags), list<std::int32_t>::of(scores)}, {2, {}, {}}};
  const a_file file(0);
  session s(so_much(file, std::size_t{1} << 30, 2));
  s.from(rows).write(file.path("own.jsonl"));
  std::ostringstream written;
  written << std::ifstream(file.path("own.jsonl")).rdbuf();
  EXPECT_EQ(written.str(),
            "{\"id\":1,\"tags\":[\"a\",\"bc\"],\"scores\":[3,1,2]}\n"
            "{\"id\":2,\"tags\":[],\"scores\":null}\n");
  EXPECT_EQ(s.from(rows).map([](const article& a) { return a.tags.size(); }).sum().get(), 2u);
}

}  // namespace
}  // namespace pappus::lists

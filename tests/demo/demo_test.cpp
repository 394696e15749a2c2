// The queries against sequential loops: on a made-up index under many settings, and on the
// machine's own index where it has one.
#include <random>
#include <sstream>

#include <gtest/gtest.h>

#include "demo/queries/kmeans.h"
#include "demo/queries/pagerank.h"
#include "demo/queries/search.h"
#include "tests/conformance/harness.h"
#include "tests/demo/reference.h"
#include "tests/demo/temporary_files.h"

namespace demo {
namespace {

using pappus::testing::settings;

/// A package index of `packages` random packages.
package_index random_index(const testing::temporary_files& files, int packages,
                           std::uint32_t seed) {
  std::mt19937 random(seed);
  const auto below = [&](std::uint32_t n) { return random() % n; };
  const std::vector<std::string> vocabulary{"parallel", "sort",   "library", "tools", "Python",
                                            "the",      "Sorted", "network", "data",  "PARALLEL"};
  const auto words = [&](std::uint32_t most, const char* separator) {
    std::string text;
    for (std::uint32_t n = 1 + below(most); n > 0; --n)
      text += vocabulary[below(static_cast<std::uint32_t>(vocabulary.size()))] + separator;
    return text;
  };
  const auto name = [](std::uint32_t i) { return std::to_string(i) + "-package-"; };
  std::ostringstream text;
  for (std::uint32_t i = 0; i < static_cast<std::uint32_t>(packages); ++i) {
    std::string depends;
    // Half of the packages depend on nothing.
    for (std::uint32_t n = i % 2 ? 0 : below(5); n > 0; --n)
      depends += name(below(below(static_cast<std::uint32_t>(packages)) + 1)) + ", ";
    text << "Package: " << name(i) << (below(4) == 0 ? words(2, "-") : "")
         << "\nVersion: 1\nArchitecture: all\nInstalled-Size: " << below(1u << below(20))
         << "\nProvides: " << name(i) << "\nDepends: " << depends
         << "\nDescription: " << words(8, " ") << "\nSize: " << below(1u << below(30)) << "\n\n";
  }
  return read_package_index({files.write(std::to_string(packages), text.str())});
}

void expect_pagerank(pappus::session& s, const package_index& index) {
  const auto expected = reference::pagerank(index);
  const auto ranks = pagerank(s, index).collect();
  ASSERT_EQ(ranks.size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    ASSERT_EQ(ranks[i].package, static_cast<std::int32_t>(i));
    ASSERT_EQ(ranks[i].degree, index.packages[i].dependencies);
    ASSERT_NEAR(ranks[i].value, expected[i], 2e-9) << index.packages[i].name;
  }
}

void expect_search(pappus::session& s, const package_index& index,
                   const std::vector<std::string>& query) {
  const auto expected = reference::search(index, query);
  const auto hits = search(s, index, query);
  ASSERT_EQ(hits.size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_NEAR(hits[i].score, expected[i].first, 1e-9);
    EXPECT_EQ(hits[i].name, expected[i].second) << "hit " << i;
  }
}

void expect_kmeans(pappus::session& s, const package_index& index) {
  const reference::kmeans_points data(index);
  const auto expected = reference::kmeans(data, 6);
  const auto result = kmeans(s, index, 6);
  ASSERT_EQ(result.centres.size(), expected.size());
  for (std::size_t c = 0; c < expected.size(); ++c)
    for (std::size_t d = 0; d < 4; ++d)
      EXPECT_NEAR(result.centres[c].x[d], expected[c][d] * data.deviation[d] + data.mean[d], 1e-6);

  ASSERT_EQ(result.members.size(), index.packages.size());
  std::vector<bool> seen(index.packages.size());
  for (std::size_t i = 0; i < result.members.size(); ++i) {
    const member& m = result.members[i];
    const auto package = static_cast<std::size_t>(m.package);
    ASSERT_FALSE(seen.at(package));
    seen[package] = true;
    // Another centre may be just as near.
    const auto& point = data.points[package];
    const double nearest =
        reference::squared_distance(point, expected[reference::nearest(point, expected)]);
    ASSERT_NEAR(m.distance, nearest, 1e-6) << index.packages[package].name;
    if (i > 0) {
      ASSERT_LE(std::pair(result.members[i - 1].cluster, result.members[i - 1].distance),
                std::pair(m.cluster, m.distance));
    }
  }
}

void expect_all(pappus::session& s, const package_index& index) {
  expect_pagerank(s, index);
  expect_search(s, index, {"parallel", "sort"});
  expect_search(s, index, {"the"});
  expect_kmeans(s, index);
}

TEST(demo, agrees_with_sequential_loops_on_a_made_up_index_under_all_settings) {
  const std::uint32_t seed = 99;
  SCOPED_TRACE("seed " + std::to_string(seed));
  const testing::temporary_files files;
  for (const int packages : {1, 2, 300}) {
    const auto index = random_index(files, packages, seed);
    ASSERT_EQ(index.packages.size(), static_cast<std::size_t>(packages));
    for (const auto& setting : settings()) {
      SCOPED_TRACE(::testing::Message() << packages << " packages, " << setting);
      pappus::session s(setting.as_options());
      expect_all(s, index);
    }
  }
}

TEST(demo, agrees_with_sequential_loops_on_the_machines_own_index) {
  const auto paths = find_index_files();
  if (!std::filesystem::exists(paths.front())) GTEST_SKIP() << "SKIP: no package index here";
  const auto index = read_package_index(paths);
  pappus::session s;
  expect_all(s, index);
}

TEST(demo, finds_nothing_for_words_that_no_package_has) {
  const testing::temporary_files files;
  const auto index = random_index(files, 20, 1);
  pappus::session s;
  EXPECT_TRUE(search(s, index, {"absent"}).empty());
  EXPECT_TRUE(search(s, index, {}).empty());
  EXPECT_TRUE(search(s, index, {"--"}).empty());
  std::ostringstream out;
  run_search(s, index, {"absent"}, out);
  EXPECT_EQ(out.str(), "BM25F: absent\n\nno package has any of these words\n");
}

TEST(demo, counts_a_repeated_word_once) {
  const testing::temporary_files files;
  const auto index = random_index(files, 50, 2);
  pappus::session s;
  const auto once = search(s, index, {"sort"}), twice = search(s, index, {"Sort", "sort SORT"});
  ASSERT_EQ(once.size(), twice.size());
  for (std::size_t i = 0; i < once.size(); ++i) EXPECT_EQ(once[i].score, twice[i].score);
}

TEST(demo, prints_its_results_and_draws_the_plot) {
  const testing::temporary_files files;
  const auto index = random_index(files, 100, 3);
  pappus::session s;
  std::ostringstream ranks, hits, clusters;
  run_pagerank(s, index, ranks);
  run_search(s, index, {}, hits);
  run_kmeans(s, index, files.path("plot.svg"), clusters);
  EXPECT_NE(ranks.str().find("PageRank: what 100 packages rest on"), std::string::npos);
  EXPECT_NE(hits.str().find("BM25F: parallel sort"), std::string::npos);
  EXPECT_NE(clusters.str().find("k-means: 6 kinds among 100 packages"), std::string::npos);
  EXPECT_TRUE(std::filesystem::exists(files.path("plot.svg")));
}

}  // namespace
}  // namespace demo

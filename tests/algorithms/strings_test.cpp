#include "algorithms/strings.h"

#include <algorithm>
#include <map>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "support/test_memory.h"
#include "support/test_workers.h"

namespace pappus::algorithms {
namespace {

std::vector<std::string> random_strings(std::size_t n, std::uint64_t seed) {
  std::mt19937_64 engine(seed);
  std::vector<std::string> strings(n);
  for (auto& text : strings) {
    text.resize(engine() % 24);
    for (char& c : text) c = static_cast<char>(engine() % 3 == 0 ? engine() % 256 : 'a');
  }
  return strings;
}

TEST(string_ids, gives_equal_strings_equal_dense_ids_whatever_the_number_of_workers) {
  const std::uint64_t seed = 7;
  SCOPED_TRACE("seed " + std::to_string(seed));
  const auto strings = random_strings(50'000, seed);
  const std::vector<std::string_view> views(strings.begin(), strings.end());
  for (const unsigned workers : {1u, 2u, 8u}) {
    testing::test_memory memory;
    testing::test_workers team(workers);
    string_ids ids(memory, "test");
    std::vector<std::uint32_t> found(views.size());
    constexpr std::size_t batch = 500;
    detail::parallel_chunks(team, views.size() / batch, [&](std::size_t item, unsigned) {
      ids.find_or_insert(views.data() + item * batch, batch, found.data() + item * batch);
    });
    std::map<std::string_view, std::uint32_t> expected;
    for (std::size_t i = 0; i < views.size(); ++i)
      ASSERT_EQ(expected.try_emplace(views[i], found[i]).first->second, found[i]);
    ASSERT_EQ(ids.size(), expected.size());
    std::vector<bool> used(ids.size());
    for (const auto& [text, id] : expected) {
      ASSERT_LT(id, ids.size());
      ASSERT_FALSE(used[id]);
      used[id] = true;
    }
    std::vector<std::string_view> sorted(ids.size());
    std::vector<std::uint32_t> order(ids.size());
    ids.sorted(team, sorted.data(), order.data());
    std::size_t i = 0;
    for (const auto& [text, id] : expected) {
      ASSERT_EQ(sorted[i], text);
      ASSERT_EQ(order[i++], id);
    }
  }
}

TEST(string_ids, starts_empty) {
  testing::test_memory memory;
  testing::test_workers team(2);
  string_ids ids(memory, "test");
  ids.find_or_insert(nullptr, 0, nullptr);
  ids.sorted(team, nullptr, nullptr);
  EXPECT_EQ(ids.size(), 0u);
}

TEST(string_ids, gives_all_memory_back) {
  testing::test_memory memory;
  {
    string_ids ids(memory, "test");
    const auto strings = random_strings(3000, 8);
    for (const auto& text : strings) {
      const std::string_view view = text;
      std::uint32_t id;
      ids.find_or_insert(&view, 1, &id);
    }
  }
  EXPECT_EQ(memory.used_bytes(), 0u);
}

}  // namespace
}  // namespace pappus::algorithms

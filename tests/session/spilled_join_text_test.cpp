// Joins whose right side goes to the spill file: records with text, which stays in memory, and
// keys that depend on rows' places.
#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "pappus/pappus.h"
#include "support/spill_folder.h"

namespace pappus::spilled_join_text {
namespace {

using ::testing::HasSubstr;

struct named_sale {
  std::int64_t item;
  std::string_view buyer;
};
struct named_item {
  std::int64_t id;
  std::string_view name;
};

TEST(spilled_joins_with_text, keep_that_of_both_sides) {
  const testing::spill_folder folder;
  const std::string sales = folder.path() + ".sales.csv", items = folder.path() + ".items.csv";
  constexpr std::int64_t n = 70'000;
  {
    std::ofstream left(sales), right(items);
    left << "item,buyer\n";
    right << "id,name\n";
    for (std::int64_t i = 0; i < n; ++i) {
      right << (i * 7'919) % n << ",item number " << i << "\n";
      if (i % 5 == 0) left << (i * 31) % n << ",buyer number " << i << "\n";
    }
  }
  session s({.threads = 2,
             .host_memory = std::size_t{26} << 20,
             .devices = "cpu",
             .spill = folder.path()});
  struct names {
    std::string_view buyer, name;
  };
  const auto pairs =
      s.csv<named_sale>(sales, column("item", &named_sale::item),
                        column("buyer", &named_sale::buyer))
          .join(s.csv<named_item>(items, column("id", &named_item::id),
                                  column("name", &named_item::name)),
                &named_sale::item, &named_item::id,
                [](const named_sale& a, const named_item& b) { return names{a.buyer, b.name}; });
  EXPECT_THAT(pairs.explain(), HasSubstr("to ask for right rows"));
  const auto sorted = pairs.sort_by(&names::name).collect();
  const auto found = pairs.collect();
  std::filesystem::remove(sales);
  std::filesystem::remove(items);
  std::vector<std::int64_t> number_of(n);
  for (std::int64_t i = 0; i < n; ++i) number_of[static_cast<std::size_t>((i * 7'919) % n)] = i;
  ASSERT_EQ(found.size(), static_cast<std::size_t>(n / 5));
  std::vector<std::string> expected;
  for (std::int64_t k = 0; k < n / 5; ++k) {
    const auto number = number_of[static_cast<std::size_t>((k * 5 * 31) % n)];
    expected.push_back("item number " + std::to_string(number));
    ASSERT_EQ(found[static_cast<std::size_t>(k)].name, expected.back());
    ASSERT_EQ(found[static_cast<std::size_t>(k)].buyer, "buyer number " + std::to_string(k * 5));
  }
  std::ranges::sort(expected);
  EXPECT_TRUE(std::ranges::equal(sorted, expected, {}, &names::name));
}

TEST(spilled_joins_by_position, hear_the_keys_of_all_windows) {
  const testing::spill_folder folder;
  const std::string path = folder.path() + ".numbers.raw";
  constexpr std::int64_t n = 300'000;
  {
    std::vector<std::int64_t> numbers(n);
    for (std::int64_t i = 0; i < n; ++i) numbers[static_cast<std::size_t>(i)] = i;
    std::ofstream(path, std::ios::binary)
        .write(reinterpret_cast<const char*>(numbers.data()), n * 8);
  }
  session s({.threads = 2,
             .host_memory = std::size_t{12} << 20,
             .devices = "cpu",
             .spill = folder.path()});
  const auto pairs = s.raw<std::int64_t>(path).enumerate().join(
      s.raw<std::int64_t>(path), [](const auto& left) { return std::int64_t(left.index); },
      [](std::int64_t right) { return right; },
      [](const auto& left, std::int64_t right) { return left.value + right; });
  EXPECT_THAT(pairs.explain(), HasSubstr("to ask for right rows"));
  EXPECT_EQ(pairs.sum().get(), n * (n - 1));
  std::filesystem::remove(path);
}

}  // namespace
}  // namespace pappus::spilled_join_text

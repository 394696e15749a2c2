// sample, shuffle and reverse.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <set>
#include <vector>

#include <gmock/gmock.h>

#include "conformance/harness.h"

namespace pappus::sample_tests {
namespace {

using namespace testing;
using ::testing::ThrowsMessage;

std::vector<std::int64_t> numbers(std::int64_t n) {
  std::vector<std::int64_t> made(static_cast<std::size_t>(n));
  std::iota(made.begin(), made.end(), 0);
  return made;
}

/// What a query yields by one thread; it must yield the same everywhere.
template <typename Query>
std::vector<std::int64_t> same_everywhere(Query query) {
  session s(options{.threads = 1, .devices = "cpu"});
  const auto found = query(s).collect().to_vector();
  expect_rows(found, query);
  return found;
}

TEST(reverse, has_the_last_record_first) {
  for (const auto n : sizes()) {
    auto expected = numbers(n);
    const auto rows = expected;
    std::ranges::reverse(expected);
    expect_rows(expected, [&](session& s) { return s.borrow(rows).reverse(); });
  }
  expect_rows(std::vector<std::int64_t>{9, 6, 3, 0}, [](session& s) {
    return s.range(std::int64_t{0}, std::int64_t{10})
        .filter([](std::int64_t x) { return x % 3 == 0; })
        .reverse();
  });
}

TEST(shuffle, is_a_permutation_of_its_seed) {
  for (const std::int64_t n : {0, 1, 2, 1000, up_to(65'537)}) {
    const auto rows = numbers(n);
    std::set<std::vector<std::int64_t>> orders;
    for (const std::uint64_t seed : {0, 1, 2, 1 << 20}) {
      auto found = same_everywhere([&](session& s) { return s.borrow(rows).shuffle(seed); });
      orders.insert(found);
      std::ranges::sort(found);
      EXPECT_EQ(found, rows);
    }
    EXPECT_EQ(orders.size(), n < 2 ? 1u : n == 2 ? orders.size() : 4u);
  }
}

TEST(sample, has_so_many_different_records_in_order) {
  for (const std::int64_t n : {0, 1, 1000, up_to(200'003)})
    for (const std::int64_t most : {-1, 0, 1, 10, 999, 70'000}) {
      SCOPED_TRACE(::testing::Message() << most << " of " << n);
      const auto rows = numbers(n);
      const auto found =
          same_everywhere([&](session& s) { return s.borrow(rows).sample(most, 5); });
      EXPECT_EQ(std::ssize(found), std::clamp<std::int64_t>(most, 0, n));
      EXPECT_TRUE(std::ranges::is_sorted(found));
      EXPECT_EQ(std::ranges::adjacent_find(found), found.end());
    }
}

TEST(sample, of_a_part_has_about_so_many_records) {
  constexpr std::int64_t n = 100'000;
  const auto rows = numbers(n);
  for (const double part : {0.0, 0.001, 0.1, 0.5, 1.0}) {
    const auto found = same_everywhere([&](session& s) { return s.borrow(rows).sample(part, 3); });
    const double deviation = std::sqrt(part * (1 - part) * n);
    EXPECT_NEAR(static_cast<double>(found.size()), part * n, 4 * deviation);
    EXPECT_TRUE(std::ranges::is_sorted(found));
    EXPECT_EQ(std::ranges::adjacent_find(found), found.end());
  }
}

/// With a hundred neighbouring seeds each record is drawn about as often as any, and so is each
/// pair of neighbours.
TEST(sample, draws_all_records_alike) {
  constexpr int n = 200, drawn = 50, seeds = 400;
  session s;
  const auto rows = s.range(0, n);
  std::vector<int> times(n), together(n);
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    const auto found = rows.sample(drawn, seed).collect().to_vector();
    for (std::size_t i = 0; i < found.size(); ++i) {
      ++times[static_cast<std::size_t>(found[i])];
      if (i > 0 && found[i] == found[i - 1] + 1) ++together[static_cast<std::size_t>(found[i])];
    }
  }
  const double expected = seeds * drawn / static_cast<double>(n);            // 100
  const double pairs = expected * (drawn - 1) / static_cast<double>(n - 1);  // 24.6
  for (std::size_t i = 0; i < n; ++i) {
    EXPECT_NEAR(times[i], expected, 5 * std::sqrt(expected));
    if (i > 0) {
      EXPECT_NEAR(together[i], pairs, 5 * std::sqrt(pairs));
    }
  }
}

TEST(sample, refuses_what_is_no_part) {
  session s;
  EXPECT_THAT([&] { s.range(0, 5).sample(1.5); },
              ThrowsMessage<usage_error>("sample: expected a part from 0 to 1, got 1.5"));
  EXPECT_THAT([&] { s.range(0, 5).sample(std::nan("")); },
              ThrowsMessage<usage_error>("sample: expected a part from 0 to 1, got nan"));
}

}  // namespace
}  // namespace pappus::sample_tests

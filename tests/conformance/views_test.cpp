// take, skip and concat: rows that exist already, seen differently.
#include <limits>
#include <numeric>

#include "conformance/harness.h"

namespace pappus::testing {
namespace {

std::vector<int> counted(int begin, int end) {
  std::vector<int> rows(static_cast<std::size_t>(std::max(0, end - begin)));
  std::iota(rows.begin(), rows.end(), begin);
  return rows;
}

TEST(take, keeps_the_first_rows) {
  const auto rows = counted(0, 10'000);
  for (const int n : {0, 1, 4096, 4097, 9999, 10'000, 10'001})
    expect_rows<int>(counted(0, std::min(n, 10'000)),
                     [&](session& s) { return s.borrow(rows).take(n); });
}

TEST(skip, drops_the_first_rows) {
  const auto rows = counted(0, 10'000);
  for (const int n : {0, 1, 4096, 4097, 9999, 10'000, 10'001})
    expect_rows<int>(counted(n, 10'000), [&](session& s) { return s.borrow(rows).skip(n); });
}

TEST(take_and_skip, treat_negative_numbers_as_zero_and_huge_ones_as_all) {
  constexpr auto most = std::numeric_limits<std::int64_t>::max();
  constexpr auto least = std::numeric_limits<std::int64_t>::min();
  expect_rows<int>({}, [](session& s) { return s.range(0, 9).take(least); });
  expect_rows<int>(counted(0, 9), [](session& s) { return s.range(0, 9).take(most); });
  expect_rows<int>(counted(0, 9), [](session& s) { return s.range(0, 9).skip(-1); });
  expect_rows<int>({}, [](session& s) { return s.range(0, 9).skip(most); });
  expect_rows<int>({}, [](session& s) { return s.range(0, 0).skip(3).take(3); });
}

TEST(take_and_skip, cut_rows_that_lie_in_pieces) {
  // A filter leaves one piece of rows per chunk of its input.
  const auto n = up_to(100'000), kept = n / 2;
  std::vector<int> even;
  for (int i = 0; i < 2 * kept; i += 2) even.push_back(i);
  for (const auto& [skipped, taken] :
       {std::pair{0, 10}, {1, kept - 2}, {std::min(4096, kept - 1), 1}, {kept / 4, kept / 2}})
    expect_rows<int>({even.begin() + skipped, even.begin() + skipped + taken}, [&](session& s) {
      return s.range(0, 2 * kept)
          .filter([](int i) { return i % 2 == 0; })
          .skip(skipped)
          .take(taken);
    });
}

TEST(take_and_skip, feed_further_operators) {
  expect_value<std::int64_t>(2 * (500 + 501 + 502), [](session& s) {
    return s.range(0, 1000).skip(500).take(3).map([](int i) { return 2 * i; }).sum();
  });
}

TEST(concat, puts_one_after_the_other) {
  const auto rows = counted(0, 5000);
  auto expected = rows;
  expected.insert(expected.end(), rows.begin(), rows.end());
  for (int i = 0; i < 700; ++i) expected.push_back(-i);
  expect_rows<int>(expected, [&](session& s) {
    const auto all = s.from(rows);
    return all.concat(all, s.range(0, 700).map([](int i) { return -i; }));
  });
}

TEST(concat, takes_empty_sides_and_filtered_ones) {
  std::vector<int> expected;
  for (int i = 1; i < 20'000; i += 2) expected.push_back(i);
  expected.push_back(7);
  expect_rows<int>(expected, [](session& s) {
    const auto none = s.range(0, 0);
    return none.concat(s.range(0, 20'000).filter([](int i) { return i % 2 == 1; }), none,
                       s.from(std::vector{7}));
  });
  expect_rows<int>({}, [](session& s) { return s.range(0, 0).concat(s.range(3, 3)); });
  expect_rows<int>({1}, [](session& s) { return s.from(std::vector{1}).concat(); });
}

TEST(concat, of_many_pieces_zips_and_folds_row_by_row) {
  random r(31);
  std::vector<std::vector<int>> parts;
  std::vector<int> expected;
  for (int i = 0; i < 50; ++i) {
    parts.push_back(r.ints(r.between(0, 300), 0, 1000));
    for (const int x : parts.back()) expected.push_back(x + static_cast<int>(expected.size()));
  }
  expect_rows<int>(expected, [&](session& s) {
    collection<int> all = s.from(parts.front());
    for (std::size_t i = 1; i < parts.size(); ++i) all = all.concat(s.from(parts[i]));
    return all.zip(s.range(0, 1'000'000)).map([](const pair<int, int>& row) {
      return row.first + row.second;
    });
  });
}

TEST(views, keep_what_they_were_made_from_alive) {
  session s(options{.threads = 2});
  const auto rows = [&] {
    const auto base = s.range(0, 100'000).map([](int i) { return i + 1; });
    return base.take(10).concat(base.skip(99'990)).collect();
  }();
  auto expected = counted(1, 11);
  for (int i = 99'991; i <= 100'000; ++i) expected.push_back(i);
  EXPECT_EQ(rows.to_vector(), expected);
}

TEST(chunk_size, may_be_the_largest_number_there_is) {
  session s(options{.threads = 2, .chunk_rows = std::numeric_limits<std::int64_t>::max()});
  const auto odd = s.range(0, 100'000).filter([](int i) { return i % 2 == 1; });
  EXPECT_EQ(odd.collect().size(), 50'000u);
  EXPECT_EQ(odd.map([](int i) { return i; }).materialise().sum().get(), 2'500'000'000);
  EXPECT_NE(odd.explain(), "");
}

}  // namespace
}  // namespace pappus::testing

// Queries over arrays that don't fit in memory, and arrays that queries make.
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include <gtest/gtest.h>

#include "arrays/large_arrays.h"
#include "pappus/pappus.h"
#include "session/session.h"
#include "support/sanitizers.h"

namespace pappus::testing {
namespace {

TEST_F(arrays_larger_than_memory, are_rows_of_queries) {
  spill_folder folder;
  const auto results = [&](std::size_t budget) {
    session s(settings(folder, budget));
    constexpr std::int64_t n = 800, m = 251;  // 1.5 MiB
    const auto a = s.unwritten<std::int64_t, 2>({n, m});
    const auto number = annotated(
        [](idx<2> p, writes<std::int64_t, 2> to) { to[p] = (p[0] * m + p[1]) * 7919 % 1'000'003; },
        "to: global [i,j] => write to[i,j]");
    s.for_each({n, m}, number, a);
    const auto all = a.rows(), part = a[{{50, 1}, {750, 250}}].rows();
    a.fill(1);  // the rows stay what they were
    std::vector<std::int64_t> found;
    for (const auto& rows : {all, part}) {
      found.push_back(rows.sum());
      found.push_back(rows.count());
      std::int64_t place = 0;
      rows.sort_by([](std::int64_t x) { return x; }).for_each_chunk([&](auto sorted) {
        for (const auto x : sorted)
          if (++place % 1'009 == 0) found.push_back(x);
      });
      std::int64_t groups = 0;
      rows.group_by([](std::int64_t x) { return x % 40'009; })
          .count()
          .for_each_chunk([&](auto some) {
            for (const auto& group : some) groups += group.key * group.value;
          });
      found.push_back(groups);
      found.push_back(rows.join(
                              s.range(0, 1000), [](std::int64_t x) { return x; },
                              [](int x) { return std::int64_t{x}; },
                              [](std::int64_t x, int y) { return x + y; })
                          .sum());
      for (const auto x : rows.skip(97'777).take(5).collect()) found.push_back(x);
    }
    found.push_back(all.concat(part).sum());
    const auto [sum, most] = s.run(all.sum(), all.max());
    found.push_back(sum + most);
    EXPECT_LE(s.host_memory_peak(), s.host_memory());
    return found;
  };
  const auto expected = results(std::size_t{1} << 30);
  EXPECT_EQ(results(12 * scaled_mib), expected);
  if (!sanitized) {
    EXPECT_EQ(results(20 * scaled_mib), expected);
  }
}

TEST_F(arrays_larger_than_memory, are_made_of_queries) {
  spill_folder folder;
  constexpr std::int64_t n = 2 << 17;
  const auto file = folder.path() + "-numbers.raw";
  {
    session s(settings(folder, 12 * scaled_mib));
    s.range(std::int64_t{0}, n).map([](std::int64_t i) { return i * 7919 % n; }).write(file);
  }
  session s(settings(folder, 12 * scaled_mib));
  const auto numbers = s.raw<std::int64_t>(file);
  const auto is_even = [](std::int64_t x) { return x % 2 == 0; };
  const auto as_they_are = numbers.to_array();
  const auto sorted = numbers.sort_by([](std::int64_t x) { return x; }).to_array();
  const auto some = numbers.filter(is_even).to_array();
  const auto twice = numbers.flat_map([](std::int64_t x) { return std::array{x, -x}; }).to_array();
  const auto few = numbers.filter([](std::int64_t x) { return x < 10; }).to_array();
  EXPECT_EQ(as_they_are.size(), n);
  EXPECT_EQ(some.size(), n / 2);
  EXPECT_EQ(twice.size(), 2 * n);
  EXPECT_EQ(few.size(), 10);
  std::int64_t at = 0;
  for (std::int64_t low = 0; low < n; low += n / 16) {
    const auto own = as_they_are[{low, low + n / 16}].host(),
               in_order = sorted[{low, low + n / 16}].host(),
               both = twice[{2 * low, 2 * low + n / 8}].host();
    for (std::int64_t i = 0; i < n / 16; ++i) {
      const auto x = (low + i) * 7919 % n;
      ASSERT_EQ(own[i], x);
      ASSERT_EQ(in_order[i], low + i);
      ASSERT_EQ(both[2 * i], x);
      ASSERT_EQ(both[2 * i + 1], -x);
      if (is_even(x)) {
        if (at % 1'009 == 0) {
          ASSERT_EQ((some[{at, at + 1}].host()[0]), x);
        }
        ++at;
      }
    }
  }
  EXPECT_LE(s.host_memory_peak(), s.host_memory());
}

TEST_F(arrays_larger_than_memory, whose_rows_are_read_again_in_each_iteration) {
  spill_folder folder;
  session s(settings(folder, 12 * scaled_mib));
  constexpr std::int64_t n = 2 << 17;
  const auto a = s.filled<std::int64_t>({n}, 2);
  const auto rows = a.rows();
  const auto last = s.do_while(
      s.from(std::vector<std::int64_t>{0}),
      [&](auto state) {
        return rows
            .map([](std::int64_t x, std::span<const std::int64_t> sum) { return x + sum[0] / n; },
                 state.shared())
            .group_by([](std::int64_t) { return 0; }, domain{1})
            .sum()
            .values();
      },
      [](auto, auto) { return true; }, max_iterations{3});
  EXPECT_EQ(last.first().get(), 6 * n);
}

TEST_F(arrays_larger_than_memory, lend_rows_that_outlive_them) {
  spill_folder folder;
  session s(settings(folder, 2 * scaled_mib));
  records<float> rows;
  {
    const auto a = s.filled<float>({1 << 14}, 7.0F);
    rows = a.rows().collect();
  }
  EXPECT_EQ(rows.back(), 7);
  rows = {};
  EXPECT_EQ(detail::access::session(s)->memory()->in_use(), 0U);
}

TEST_F(arrays_larger_than_memory, leave_room_to_queries) {
  spill_folder folder;
  session s(settings(folder, 24 * scaled_mib));
  constexpr std::int64_t n = 2 << 17;
  const auto numbers = s.range(0, 1 << 17).map([](std::int64_t i) { return i * 7919 % 1'000'003; });
  const auto sorted = numbers.sort_by([](std::int64_t i) { return i; });
  const auto a = s.zeros<std::int64_t>({n});
  const auto add = annotated([](idx<1> i, updates<std::int64_t> to) { to[i] += i[0]; },
                             "to: global i => readwrite to[i]");
  for (int round = 0; round < 3; ++round) {
    s.for_each({n}, add, a);
    s.wait();
    EXPECT_EQ(sorted.collect().size(), 1U << 17);
  }
  EXPECT_EQ((a[{n - 1, n}].host()[0]), 3 * (n - 1));
  EXPECT_GT(detail::access::session(s)->store()->spilled_bytes(), 0U);
}

}  // namespace
}  // namespace pappus::testing

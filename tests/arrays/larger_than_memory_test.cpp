// Arrays that don't fit in memory: whatever goes to the disk, bits are those of a session with
// plenty.
#include <cstdint>
#include <cstring>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "arrays/large_arrays.h"
#include "pappus/pappus.h"
#include "session/session.h"
#include "support/held_launches.h"
#include "support/sanitizers.h"
#include "support/spill_folder.h"

namespace pappus::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

std::string memory_refusal(const std::function<void()>& call) {
  try {
    call();
  } catch (const memory_error& e) {
    return e.what();
  }
  return "nothing";
}

/// What a program makes of arrays, as one vector of floats.
using array_program = std::function<std::vector<float>(session&)>;

/// Elements of an array that is looked at part by part, every so many of them.
template <typename T, std::size_t N>
void add_elements(std::vector<float>& to, const array<T, N>& from, std::int64_t step = 1) {
  const auto rows = from.extent(0), at_once = std::max<std::int64_t>(1, rows / 16);
  std::int64_t number = 0;
  for (std::int64_t low = 0; low < rows; low += at_once) {
    box<N> part{{}, from.extents()};
    part.low[0] = low, part.high[0] = std::min(rows, low + at_once);
    for (const auto value : from[part].to_vector())
      if (number++ % step == 0) to.push_back(static_cast<float>(value));
  }
}

void same_at_all_budgets(const array_program& program, std::vector<std::size_t> budgets) {
  if (sanitized) budgets.resize(1);
  spill_folder folder;
  session plenty(settings(folder, std::size_t{1} << 30));
  const auto expected = program(plenty);
  for (const auto budget : budgets)
    for (const unsigned threads : {8U, 2U}) {
      if (sanitized && threads == 2) continue;
      session s(settings(folder, budget, threads));
      const auto got = program(s);
      ASSERT_EQ(got.size(), expected.size());
      EXPECT_EQ(std::memcmp(got.data(), expected.data(), got.size() * sizeof(float)), 0)
          << budget << " bytes, " << threads << " threads";
      EXPECT_GT(detail::access::session(s)->store()->spilled_bytes(), 0U) << budget;
    }
  EXPECT_TRUE(folder.empty());
}

/// 2 arrays of 256 KiB.
std::vector<float> smoothed(session& s, int steps) {
  constexpr std::int64_t rows = 256, columns = 256;
  auto in = s.filled<float, 2>({rows, columns}, 1.0F), out = s.zeros<float, 2>({rows, columns});
  s.for_each({rows, columns},
             annotated(
                 [](idx<2> p, writes<float, 2> to) {
                   to[p] = static_cast<float>((p[0] * 31 + p[1] * 17) % 101);
                 },
                 "to: global [i,j] => write to[i,j]"),
             in);
  for (int t = 0; t < steps; ++t) {
    s.for_each(box<2>{{1, 1}, {rows - 1, columns - 1}},
               annotated(
                   [](idx<2> p, reads<float, 2> from, writes<float, 2> to) {
                     const auto i = p[0], j = p[1];
                     to(i, j) = 0.25F *
                                (from(i - 1, j) + from(i + 1, j) + from(i, j - 1) + from(i, j + 1));
                   },
                   "from, to: global [i,j] => read from[i-1:i+1,j-1:j+1], write to[i,j]"),
               in, out);
    std::swap(in, out);
  }
  std::vector<float> result;
  add_elements(result, in, 37);
  return result;
}

TEST_F(arrays_larger_than_memory, take_steps_of_a_stencil) {
  same_at_all_budgets([](session& s) { return smoothed(s, 5); },
                      {1 * scaled_mib, 2 * scaled_mib, 3 * scaled_mib});
}

/// A matrix of n rows and columns whose elements are numbered, transposed.
array<float, 2> transposed(session& s, std::int64_t n) {
  const auto a = s.unwritten<float, 2>({n, n}), b = s.unwritten<float, 2>({n, n});
  s.for_each(
      {n, n},
      annotated([n](idx<2> p, writes<float, 2> to) { to[p] = static_cast<float>(p[0] * n + p[1]); },
                "to: global [i,j] => write to[i,j]"),
      a);
  s.for_each({n, n},
             annotated([](idx<2> p, reads<float, 2> from,
                          writes<float, 2> to) { to(p[1], p[0]) = from[p]; },
                       "from, to: global [i,j] => read from[i,j], write to[j,i]"),
             a, b);
  return b;
}

TEST_F(arrays_larger_than_memory, are_transposed) {
  same_at_all_budgets(
      [](session& s) {
        std::vector<float> result;
        add_elements(result, transposed(s, 354), 11);
        return result;
      },
      {2 * scaled_mib, 4 * scaled_mib, 6 * scaled_mib});
}

/// A band of rows would touch a part of each section of the result.
TEST_F(arrays_larger_than_memory, are_transposed_in_blocks) {
  spill_folder folder;
  session s(settings(folder, 2 * scaled_mib)), plenty(settings(folder, std::size_t{1} << 30));
  held_launches held(s), held_with_plenty(plenty);
  EXPECT_THAT(transposed(s, 354).explain(),
              AllOf(HasSubstr(" 16x1 cells"), HasSubstr(" 16x16 cells")));
  EXPECT_THAT(transposed(plenty, 354).explain(), Not(HasSubstr("x16 cells")));
}

/// Each element of a column lies in a section of its own.
TEST_F(arrays_larger_than_memory, are_transposed_where_rows_are_long) {
  same_at_all_budgets(
      [](session& s) {
        constexpr std::int64_t rows = 150, columns = 2'500;
        const auto a = s.unwritten<float, 2>({rows, columns}),
                   b = s.unwritten<float, 2>({columns, rows});
        s.for_each({rows, columns},
                   annotated(
                       [](idx<2> p, writes<float, 2> to) {
                         to[p] = static_cast<float>(p[0] * columns + p[1]);
                       },
                       "to: global [i,j] => write to[i,j]"),
                   a);
        s.for_each({columns, rows},
                   annotated([](idx<2> p, reads<float, 2> from,
                                writes<float, 2> to) { to[p] = from(p[1], p[0]); },
                             "from, to: global [i,j] => read from[j,i], write to[i,j]"),
                   a, b);
        std::vector<float> result;
        add_elements(result, b, 11);
        return result;
      },
      {4 * scaled_mib});
}

/// The states are few, but each comes to a section of its own.
TEST_F(arrays_larger_than_memory, are_reduced_into_columns) {
  same_at_all_budgets(
      [](session& s) {
        constexpr std::int64_t rows = 200, columns = 2'500, n = 1 << 17;
        const auto a = s.zeros<float, 2>({rows, columns});
        s.for_each({n},
                   annotated([](idx<1> i, reduces<float, 2> to) { to(i % rows, 0) += 0.1F; },
                             "to: global i => reduce to[:,:]"),
                   a[{{0, 7}, {rows, 8}}]);
        std::vector<float> result;
        add_elements(result, a[{{0, 7}, {rows, 9}}]);
        return result;
      },
      {4 * scaled_mib});
}

TEST_F(arrays_larger_than_memory, are_reduced_and_reduced_into) {
  same_at_all_budgets(
      [](session& s) {
        constexpr std::int64_t n = 3 << 15, few = 125, many = 1 << 15;
        const auto a = s.unwritten<float>({n});
        s.for_each({n},
                   annotated(
                       [](idx<1> i, writes<float> to) {
                         to[i] = static_cast<float>(i * 7919 % 10007) / 10007;
                       },
                       "to: global i => write to[i]"),
                   a);
        const auto sums = s.zeros<double>({few});
        const auto apart = s.zeros<float>({many});
        s.for_each({n},
                   annotated([](idx<1> i, reads<float> from,
                                reduces<double> to) { to[i % few] += from[i]; },
                             "from, to: global i => read from[i], reduce to[:]"),
                   a, sums);
        s.for_each({many, 3},
                   annotated([](idx<2> p, reads<float> from,
                                reduces<float> to) { to[p[0]] += from[p[0] * 3 + p[1]]; },
                             "from, to: global [i,k] => read from[3*i+k], reduce to[i]"),
                   a, apart);
        std::vector<float> result;
        add_elements(result, sums);
        add_elements(result, apart, 101);
        return result;
      },
      {2 * scaled_mib, 3 * scaled_mib});
}

TEST_F(arrays_larger_than_memory, are_multiplied) {
  same_at_all_budgets(
      [](session& s) {
        constexpr std::int64_t n = 320, k = 4;
        const auto a = s.unwritten<float, 2>({n, k}), b = s.unwritten<float, 2>({k, n}),
                   c = s.zeros<float, 2>({n, n});
        const auto number = annotated(
            [](idx<2> p, writes<float, 2> to) {
              to[p] = static_cast<float>((p[0] * 13 + p[1] * 7) % 97) / 97;
            },
            "to: global [i,j] => write to[i,j]");
        s.for_each({n, k}, number, a);
        s.for_each({k, n}, number, b);
        s.for_each(
            {n, k, n},
            annotated([](idx<3> p, reads<float, 2> x, reads<float, 2> y,
                         reduces<float, 2> z) { z(p[0], p[2]) += x(p[0], p[1]) * y(p[1], p[2]); },
                      "x, y, z: global [i,k,j] => read x[i,k], read y[k,j], reduce z[i,j]"),
            a, b, c);
        std::vector<float> result;
        add_elements(result, c, 101);
        return result;
      },
      {1 * scaled_mib, 2 * scaled_mib});
}

TEST_F(arrays_larger_than_memory, are_copied_filled_and_written_by_the_host) {
  same_at_all_budgets(
      [](session& s) {
        constexpr std::int64_t n = 1 << 17;
        const auto a = s.zeros<float>({n});
        for (std::int64_t low = 0; low < n; low += 1 << 13) {
          const auto to = a[{low, low + (1 << 13)}].host_write();
          for (std::int64_t i = 0; i < to.size(); ++i) to[i] = static_cast<float>(low * 3 + i);
        }
        const auto copy = a.copy();
        a[{n / 3, n / 2}].fill(5);
        const auto half = a[{n / 4, 3 * n / 4}].copy();
        std::vector<float> result;
        for (const auto& one : {a, copy, half}) add_elements(result, one, 7);
        return result;
      },
      {1 * scaled_mib, 3 * scaled_mib});
}

TEST_F(arrays_larger_than_memory, are_left_to_collections_of_parts_of_them) {
  same_at_all_budgets(
      [](session& s) {
        constexpr std::int64_t n = 1 << 17;
        const auto a = s.filled<float>({n}, 2.0F);
        std::vector<float> result;
        for (int i = 0; i < 4; ++i) {
          const auto rows = a[{n / 8 * i, n / 8 * (i + 1)}].rows();
          a.fill(static_cast<float>(i) + 3);  // the rows stay what they were
          result.push_back(static_cast<float>(rows.sum().get()));
        }
        add_elements(result, a, 13);
        return result;
      },
      {3 * scaled_mib, 5 * scaled_mib});
}

TEST_F(arrays_larger_than_memory,
       whose_functions_touch_what_nobody_knows_must_be_there_as_a_whole) {
  spill_folder folder;
  session s(settings(folder, 2 * scaled_mib));
  constexpr std::int64_t n = 1 << 17;
  const auto a = s.zeros<float>({n}), small = s.zeros<float>({n / 16});
  const auto last = [](idx<1> i, reads<float> from, writes<float> to) {
    to[i] = from[from.extent(0) - 1] + 1;
  };
  const auto to = s.zeros<float>({10});
  const auto [i] = launch_index<1>();
  s.for_each({10}, last, a.at(everything), to.at(i));
  try {
    to.host();
    FAIL();
  } catch (const launch_error& e) {
    EXPECT_THAT(e.what(), HasSubstr("for_each at larger_than_memory_test.cpp:"));
    EXPECT_THAT(e.what(), HasSubstr("elements of arrays: needs "));
  }
  s.for_each({10}, last, small.at(everything), to.at(i));
  EXPECT_EQ(to.host()[9], 1) << "the session goes on";
}

TEST_F(arrays_larger_than_memory, are_told_of_by_explain) {
  spill_folder folder;
  session s(settings(folder, 2 * scaled_mib));
  const auto a = s.unwritten<float>({1 << 16}), b = s.unwritten<float>({1 << 15}),
             fits = s.unwritten<float>({1 << 7});
  held_launches held(s);
  fits.fill(1);
  EXPECT_THAT(fits.explain(), ::testing::Not(HasSubstr("spill file")));
  a.fill(1);
  b.fill(1);
  const auto text = a.explain();
  held.release();
  EXPECT_THAT(text,
              HasSubstr("take 384 KiB, with 256 KiB of memory: sections that no item needs go"));
}

TEST_F(arrays_larger_than_memory, are_looked_at_in_parts) {
  spill_folder folder;
  session s(settings(folder, 2 * scaled_mib));
  const auto a = s.filled<float>({1 << 17}, 7.0F);
  EXPECT_THAT(memory_refusal([&] { a.host(); }), HasSubstr("host: array<float> of 131072: needs "));
  const auto first = a[{0, 1 << 14}].host(), second = a[{1 << 15, 3 << 14}].host();
  EXPECT_EQ(first[5] + second[5], 14);
}

/// Accesses that need what was there and that don't, to the same elements.
TEST_F(arrays_larger_than_memory, are_read_where_one_of_two_accesses_reads) {
  same_at_all_budgets(
      [](session& s) {
        constexpr std::int64_t n = 1 << 17;
        const auto a = s.filled<float>({n}, 1.0F);
        for (int step = 0; step < 3; ++step) {
          s.for_each({n},
                     annotated([](idx<1> i, updates<float> to) { to[i] += 1; },
                               "to: global i => write to[i], read to[i]"),
                     a);
          s.wait();
        }
        std::vector<float> result;
        add_elements(result, a, 101);
        return result;
      },
      {1 * scaled_mib, 2 * scaled_mib});
}

TEST_F(arrays_larger_than_memory, are_transposed_on_devices) {
  spill_folder folder;
  auto with_device = settings(folder, 2 * scaled_mib);
  with_device.devices = "test:seed=1+delay_us=0";
  session s(with_device);
  constexpr std::int64_t n = 354;
  const auto b = transposed(s, n);
  EXPECT_EQ((b[{{250, 0}, {251, n}}].to_vector()[3]), 3 * n + 250);
  EXPECT_GT(detail::access::session(s)->store()->spilled_bytes(), 0U);
}

TEST_F(arrays_larger_than_memory, are_used_by_several_threads) {
  spill_folder folder;
  session s(settings(folder, 2 * scaled_mib, 4));
  constexpr std::int64_t n = 1 << 15;
  const auto add = annotated([](idx<1> i, updates<std::int32_t> to) { to[i] += 1; },
                             "to: global i => readwrite to[i]");
  std::vector<std::thread> all;
  std::array<std::int64_t, 4> sums{};
  for (std::size_t t = 0; t < sums.size(); ++t)
    all.emplace_back([&, t] {
      const auto a = s.zeros<std::int32_t>({n});
      for (int round = 0; round < 20; ++round) {
        s.for_each({n}, add, a);
        if (round % 7 == 3)
          for (std::int64_t low = 0; low < n; low += n / 4) {
            const auto part = a[{low, low + n / 8}].host();
            EXPECT_EQ(part[0], round + 1);
          }
      }
      for (std::int64_t low = 0; low < n; low += n / 8)
        for (const auto value : a[{low, low + n / 8}].to_vector()) sums[t] += value;
    });
  for (auto& one : all) one.join();
  EXPECT_THAT(sums, ::testing::Each(20 * n));
}

TEST_F(arrays_larger_than_memory, are_right_or_tell_where_the_disk_fails) {
  ::setenv("PAPPUS_IO", "faulty:seed=7+short=0.1+eio=0.02+flip=0.002", 1);
  int failed = 0;
  for (int round = 0; round < 10; ++round) {
    spill_folder folder;
    session s(settings(folder, 2 * scaled_mib));
    constexpr std::int64_t n = 1 << 17;
    const auto a = s.zeros<float>({n});
    try {
      for (int i = 0; i < 3; ++i)
        s.for_each({n},
                   annotated([](idx<1> at, updates<float> to) { to[at] += 1; },
                             "to: global at => readwrite to[at]"),
                   a);
      for (std::int64_t low = 0; low < n; low += n / 8)
        for (const auto value : a[{low, low + n / 8}].to_vector()) ASSERT_EQ(value, 3);
    } catch (const spill_error&) {
      ++failed;
    } catch (const launch_error& e) {
      EXPECT_THAT(e.what(), HasSubstr("spill file"));
      EXPECT_THROW(e.rethrow_nested(), spill_error);
      ++failed;
    }
  }
  ::unsetenv("PAPPUS_IO");
  EXPECT_GE(failed, 1);
}

TEST_F(arrays_larger_than_memory, are_refused_where_nothing_may_go_to_a_disk) {
  spill_folder folder;
  session s({.threads = 2, .host_memory = 2 * scaled_mib, .devices = "cpu", .spill = "off"});
  EXPECT_THAT(memory_refusal([&] { s.zeros<float>({1 << 17}); }),
              HasSubstr("array of float: needs 512 KiB more"));
}

}  // namespace
}  // namespace pappus::testing

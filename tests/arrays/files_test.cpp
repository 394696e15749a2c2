// Arrays in files: whatever their chunks, memory and threads are, launches and the host see the
// elements that a loop over the file would see.
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "imagined_file.h"
#include "pappus/pappus.h"
#include "session/session.h"
#include "support/sanitizers.h"

namespace pappus::testing {
namespace {

using ::testing::HasSubstr;

using numbers_file = std::shared_ptr<imagined_file<std::int32_t, 2>>;

std::int32_t numbered(const idx<2>& at) {
  return static_cast<std::int32_t>(at[0] * 1'000 + at[1] * 7);
}

numbers_file numbers_in(std::int64_t rows, std::int64_t columns, const idx<2>& chunk) {
  return imagine<std::int32_t, 2>({rows, columns}, chunk, numbered);
}

/// Chunks of one element to all, and those whose ends lie anywhere.
std::vector<idx<2>> chunk_shapes(std::int64_t rows, std::int64_t columns) {
  return {{1, 1}, {1, columns}, {rows, 1}, {3, 5}, {16, 16}, {rows, columns}, {rows + 3, 64}};
}

options with(unsigned threads, std::size_t memory = std::size_t{64} << 20) {
  return {.threads = threads, .host_memory = memory};
}

/// Calls test(session, file) for files of many chunk shapes, with few and many threads.
void for_all_files(std::int64_t rows, std::int64_t columns,
                   const std::function<void(session&, const numbers_file&)>& test) {
  for (const auto& chunk : chunk_shapes(rows, columns))
    for (const unsigned threads : {1U, 5U}) {
      SCOPED_TRACE(fmt::format("chunks of {} x {}, {} threads", chunk[0], chunk[1], threads));
      session s(with(threads));
      test(s, numbers_in(rows, columns, chunk));
      const auto alone = numbers_in(rows, columns, chunk);
      alone->alone = true;
      test(s, alone);
    }
}

/// Elements of a box, row after row.
std::vector<std::int32_t> numbers_of(const imagined_file<std::int32_t, 2>& of,
                                     const box<2>& where) {
  std::vector<std::int32_t> result;
  for (auto i = where.low[0]; i < where.high[0]; ++i)
    for (auto j = where.low[1]; j < where.high[1]; ++j) result.push_back(of.value({i, j}));
  return result;
}

template <typename T>
std::vector<T> listed(const collection<T>& rows) {
  const auto all = rows.collect();
  return {all.begin(), all.end()};
}

TEST(arrays_in_files, are_opened_without_reading) {
  session s(with(2));
  const auto file = numbers_in(50, 40, {8, 8});
  const auto a = array_over(s, file);
  EXPECT_EQ(a.extents(), (idx<2>{50, 40}));
  EXPECT_EQ(a[(box<2>{{1, 2}, {9, 30}})].extents(), (idx<2>{8, 28}));
  const auto rows = a.rows();
  EXPECT_EQ(file->all_loads(), 0);
  EXPECT_EQ(rows.count(), 2000);
}

TEST(arrays_in_files, are_seen_by_the_host) {
  for_all_files(37, 45, [](session& s, const numbers_file& file) {
    const auto a = array_over(s, file);
    const box<2> all{{0, 0}, {37, 45}}, part{{3, 10}, {30, 41}}, one{{36, 44}, {37, 45}};
    EXPECT_EQ(a.to_vector(), numbers_of(*file, all));
    EXPECT_EQ(a[part].to_vector(), numbers_of(*file, part));
    EXPECT_EQ(a[one].to_vector(), numbers_of(*file, one));
    EXPECT_EQ(a[(box<2>{{4, 4}, {4, 9}})].to_vector(), std::vector<std::int32_t>());
    EXPECT_EQ(a.host()(20, 30), file->value({20, 30}));
    EXPECT_EQ(a.copy().to_vector(), numbers_of(*file, all));
  });
}

TEST(arrays_in_files, are_rows_of_queries) {
  for_all_files(37, 45, [](session& s, const numbers_file& file) {
    const auto a = array_over(s, file);
    const box<2> all{{0, 0}, {37, 45}}, part{{3, 10}, {30, 41}};
    EXPECT_EQ(listed(a.rows()), numbers_of(*file, all));
    EXPECT_EQ(listed(a[part].rows()), numbers_of(*file, part));
    std::int64_t sum = 0;
    for (const auto x : numbers_of(*file, part)) sum += x;
    EXPECT_EQ(a[part].rows().map([](std::int32_t x) { return std::int64_t{x}; }).sum(), sum);
  });
}

TEST(arrays_in_files, are_read_by_launches_element_by_element) {
  for_all_files(37, 45, [](session& s, const numbers_file& file) {
    const auto a = array_over(s, file);
    const auto b = s.zeros<std::int32_t, 2>({37, 45});
    const auto [i, j] = launch_index<2>();
    s.for_each(
        {37, 45},
        [](idx<2> p, reads<std::int32_t, 2> from, writes<std::int32_t, 2> to) {
          to[p] = 2 * from[p];
        },
        a.at(i, j), b.at(i, j));
    auto expected = numbers_of(*file, {{0, 0}, {37, 45}});
    for (auto& x : expected) x *= 2;
    EXPECT_EQ(b.to_vector(), expected);
    EXPECT_EQ(file->most_loads(), file->read_alone() > 0 ? 0 : 1);
    EXPECT_FALSE(file->announced_outside);
  });
}

TEST(arrays_in_files, are_read_with_neighbours) {
  for_all_files(37, 45, [](session& s, const numbers_file& file) {
    const auto a = array_over(s, file)[(box<2>{{2, 3}, {35, 44}})];
    const auto b = s.zeros<std::int32_t, 2>({33, 41});
    const auto [i, j] = launch_index<2>();
    s.for_each(
        box<2>{{1, 1}, {32, 40}},
        [](idx<2> p, reads<std::int32_t, 2> from, writes<std::int32_t, 2> to) {
          const auto i = p[0], j = p[1];
          to[p] = from(i - 1, j) + 3 * from(i + 1, j) - 5 * from(i, j - 1) + from(i, j + 1);
        },
        a.at(touched_slice(i - 1, i + 1), touched_slice(j - 1, j + 1)), b.at(i, j));
    const auto at = [&](std::int64_t i, std::int64_t j) { return file->value({i + 2, j + 3}); };
    const auto seen = b.host();
    for (std::int64_t i = 1; i < 32; ++i)
      for (std::int64_t j = 1; j < 40; ++j)
        ASSERT_EQ(seen(i, j), at(i - 1, j) + 3 * at(i + 1, j) - 5 * at(i, j - 1) + at(i, j + 1))
            << i << ' ' << j;
  });
}

TEST(arrays_in_files, are_read_transposed_and_with_gaps) {
  for_all_files(60, 45, [](session& s, const numbers_file& file) {
    const auto a = array_over(s, file);
    const auto turned = s.zeros<std::int32_t, 2>({45, 60}), few = s.zeros<std::int32_t, 2>({7, 6});
    const auto [i, j] = launch_index<2>();
    s.for_each(
        {45, 60},
        [](idx<2> p, reads<std::int32_t, 2> from, writes<std::int32_t, 2> to) {
          to[p] = from(p[1], p[0]);
        },
        a.at(j, i), turned.at(i, j));
    s.wait();
    EXPECT_EQ(file->most_loads(), file->read_alone() > 0 ? 0 : 1);
    s.for_each(
        {7, 6},
        [](idx<2> p, reads<std::int32_t, 2> from, writes<std::int32_t, 2> to) {
          to[p] = from(8 * p[0] + 2, 7 * p[1] + 3);
        },
        a.at(8 * i + 2, 7 * j + 3), few.at(i, j));
    const auto seen = turned.host(), seen_few = few.host();
    for (std::int64_t i = 0; i < 45; ++i)
      for (std::int64_t j = 0; j < 60; ++j) ASSERT_EQ(seen(i, j), file->value({j, i}));
    for (std::int64_t i = 0; i < 7; ++i)
      for (std::int64_t j = 0; j < 6; ++j)
        ASSERT_EQ(seen_few(i, j), file->value({8 * i + 2, 7 * j + 3}));
  });
}

/// Rows that no index touches are neither read nor loaded, and those that are lie where they
/// should, whatever the steps.
TEST(arrays_in_files, are_read_without_the_rows_between) {
  for (const std::int64_t step : {2, 5, 8, -3})
    for_all_files(60, 45, [step](session& s, const numbers_file& file) {
      const auto a = array_over(s, file);
      const auto few = s.zeros<std::int32_t, 2>({7, 45});
      const auto [i, j] = launch_index<2>();
      const std::int64_t first = step < 0 ? 59 : 1;
      s.for_each(
          {7, 45},
          [=](idx<2> p, reads<std::int32_t, 2> from, writes<std::int32_t, 2> to) {
            to[p] = from(step * p[0] + first, p[1]);
          },
          a.at(step * i + first, j), few.at(i, j));
      const auto seen = few.host();
      for (std::int64_t i = 0; i < 7; ++i)
        for (std::int64_t j = 0; j < 45; ++j)
          ASSERT_EQ(seen(i, j), file->value({step * i + first, j})) << i << ' ' << j;
      if (file->read_alone() > 0 && file->all_loads() == 0) {
        EXPECT_EQ(file->elements_read_alone(), 7 * 45);
      }
      for (std::int64_t n = 0; n < file->chunks().size(); ++n) {
        const auto cell = file->chunks().cell(n);
        bool touched = false;
        for (std::int64_t i = 0; i < 7; ++i)
          touched |= cell.low[0] <= step * i + first && step * i + first < cell.high[0];
        if (!touched) {
          EXPECT_EQ(file->loads(n), 0) << n;
        }
      }
    });
}

/// Neighbours of rows far apart, and what only some indices touch, are boxes as before.
TEST(arrays_in_files, are_read_in_groups_of_rows_far_apart) {
  for_all_files(60, 45, [](session& s, const numbers_file& file) {
    const auto a = array_over(s, file);
    const auto few = s.zeros<std::int32_t, 2>({7, 45});
    const auto [i, j] = launch_index<2>();
    s.for_each(
        {7, 45},
        [](idx<2> p, reads<std::int32_t, 2> from, writes<std::int32_t, 2> to) {
          to[p] = from(8 * p[0], p[1]) + from(8 * p[0] + 3, p[1]);
        },
        a.at(touched_slice(8 * i, 8 * i + 3), j), few.at(i, j));
    const auto seen = few.host();
    for (std::int64_t i = 0; i < 7; ++i)
      for (std::int64_t j = 0; j < 45; ++j)
        ASSERT_EQ(seen(i, j), file->value({8 * i, j}) + file->value({8 * i + 3, j}));
  });
}

/// Each row is read again for each of the result's columns.
TEST(arrays_in_files, are_read_as_a_whole_by_every_index) {
  for_all_files(37, 45, [](session& s, const numbers_file& file) {
    const auto a = array_over(s, file), b = array_over(s, numbers_in(45, 20, {4, 4}));
    const auto c = s.zeros<std::int64_t, 2>({37, 20});
    const auto [i, j] = launch_index<2>();
    s.for_each(
        {37, 20},
        [](idx<2> p, reads<std::int32_t, 2> a, reads<std::int32_t, 2> b,
           writes<std::int64_t, 2> c) {
          std::int64_t sum = 0;
          for (std::int64_t k = 0; k < a.extent(1); ++k)
            sum += std::int64_t{a(p[0], k)} * b(k, p[1]);
          c[p] = sum;
        },
        a.at(i, everything), b.at(everything, j), c.at(i, j));
    const auto seen = c.host();
    for (std::int64_t i = 0; i < 37; ++i)
      for (std::int64_t j = 0; j < 20; ++j) {
        std::int64_t sum = 0;
        for (std::int64_t k = 0; k < 45; ++k)
          sum += std::int64_t{numbered({i, k})} * numbered({k, j});
        ASSERT_EQ(seen(i, j), sum);
      }
  });
}

TEST(arrays_in_files, of_which_nothing_is_known_are_read) {
  for_all_files(37, 45, [](session& s, const numbers_file& file) {
    const auto a = array_over(s, file);
    const auto b = s.zeros<std::int32_t>({37});
    s.for_each(
        {37},
        [](idx<1> i, reads<std::int32_t, 2> from, writes<std::int32_t> to) {
          to[i] = from(i, (i * i) % 45);
        },
        a, b);
    const auto seen = b.host();
    for (std::int64_t i = 0; i < 37; ++i) ASSERT_EQ(seen[i], file->value({i, (i * i) % 45}));
  });
}

/// Sums of blocks, rows, columns and all; of blocks that begin where chunks do, and elsewhere.
void reduces_blocks(session& s, const numbers_file& file, std::int64_t low, std::int64_t size) {
  const auto a = array_over(s, file);
  const auto sums = s.zeros<std::int64_t, 2>({6, 6});
  s.for_each(
      box<2>{{low, low}, {low + 6 * size, low + 6 * size}},
      [low, size](idx<2> p, reads<std::int32_t, 2> from, reduces<std::int64_t, 2> to) {
        to((p[0] - low) / size, (p[1] - low) / size) += from[p];
      },
      a, sums);
  const auto seen = sums.host();
  EXPECT_EQ(file->most_loads(), file->read_alone() > 0 ? 0 : 1);
  for (std::int64_t i = 0; i < 6; ++i)
    for (std::int64_t j = 0; j < 6; ++j) {
      std::int64_t expected = 0;
      for (std::int64_t k = 0; k < size; ++k)
        for (std::int64_t l = 0; l < size; ++l)
          expected += file->value({low + i * size + k, low + j * size + l});
      ASSERT_EQ(seen(i, j), expected) << i << ' ' << j;
    }
}

TEST(arrays_in_files, are_reduced_by_blocks) {
  for (const std::int64_t low : {0, 5})
    for_all_files(60, 61,
                  [&](session& s, const numbers_file& file) { reduces_blocks(s, file, low, 8); });
}

/// Several chunks at a time, as there are many states.
TEST(arrays_in_files, that_reduce_into_many_states_are_read_once) {
  constexpr std::int64_t steps = 32, rows = 24, columns = 1000;
  std::vector<float> first;
  for (const bool alone : {true, false})
    for (const unsigned threads : {1U, 5U})
      for (const std::size_t mib : {256, 64}) {
        SCOPED_TRACE(fmt::format("{}, {} threads, {} MiB", alone, threads, mib));
        const auto file = imagine<std::int32_t, 3>(
            {steps, rows, columns}, {2, rows, columns}, [](const idx<3>& p) {
              return static_cast<std::int32_t>((p[0] * 7919 + p[1] * 104729 + p[2] * 31) % 1009);
            });
        file->alone = alone;
        session s(with(threads, mib << 20));
        const auto a = array_over(s, file);
        const auto sums = s.zeros<float, 2>({rows, columns});
        const auto [t, i, j] = launch_index<3>();
        s.for_each(
            {steps, rows, columns},
            [](idx<3> p, reads<std::int32_t, 3> from, reduces<float, 2> to) {
              to(p[1], p[2]) += 1.F / static_cast<float>(1 + from[p]);
            },
            a.at(t, i, j), sums.at(i, j));
        const auto found = sums.to_vector();
        if (first.empty()) first = found;
        EXPECT_EQ(found, first);
        EXPECT_EQ(file->most_loads(), alone ? 0 : 1);
        if (alone) {
          EXPECT_EQ(file->elements_read_alone(), steps * rows * columns);
        }
      }
  for (std::int64_t n : {0, 17, 23'999}) {
    double sum = 0;
    for (std::int64_t t = 0; t < steps; ++t)
      sum +=
          1. / static_cast<double>(1 + (t * 7919 + n / columns * 104729 + n % columns * 31) % 1009);
    EXPECT_NEAR(first[static_cast<std::size_t>(n)], sum, 1e-5);
  }
}

/// Chunks that end along two dimensions of which all indices reduce into the same elements.
TEST(arrays_in_files, give_sums_the_same_bits_whatever_runs_them) {
  const auto file = imagine<float, 3>({128, 64, 1024}, {4, 4, 1024}, [](const idx<3>& p) {
    return 1.F / static_cast<float>(1 + (p[0] * 7919 + p[1] * 104729 + p[2] * 31) % 1009);
  });
  const auto sums = [&](const char* devices) {
    session s({.threads = 2, .host_memory = 256 << 20, .devices = devices});
    const auto to = s.zeros<float>({1024});
    const auto [i, j, k] = launch_index<3>();
    s.for_each(
        {128, 64, 1024},
        [](idx<3> p, reads<float, 3> from, reduces<float> to) { to[p[2]] += from[p]; },
        array_over(s, file).at(i, j, k), to.at(k));
    return to.to_vector();
  };
  EXPECT_EQ(sums("test:seed=1+delay_us=0"), sums("cpu"));
}

TEST(arrays_in_files, are_reduced_along_dimensions) {
  for_all_files(200, 300, [](session& s, const numbers_file& file) {
    const auto a = array_over(s, file);
    const auto of_rows = s.zeros<std::int64_t>({200}), of_columns = s.zeros<std::int64_t>({300});
    const auto of_all = s.filled<std::int64_t>({1}, 100);
    const auto [i, j] = launch_index<2>();
    s.for_each(
        {200, 300},
        [](idx<2> p, reads<std::int32_t, 2> from, reduces<std::int64_t> rows,
           reduces<std::int64_t> columns, reduces<std::int64_t> all) {
          rows[p[0]] += from[p];
          columns[p[1]] += from[p];
          all[0] += from[p];
        },
        a.at(i, j), of_rows.at(i), of_columns.at(j), of_all.at(0));
    s.wait();
    EXPECT_EQ(file->most_loads(), file->read_alone() > 0 ? 0 : 1);
    std::vector<std::int64_t> rows(200), columns(300);
    std::int64_t all = 100;
    for (std::int64_t i = 0; i < 200; ++i)
      for (std::int64_t j = 0; j < 300; ++j) {
        const auto x = numbered({i, j});
        rows[i] += x, columns[j] += x, all += x;
      }
    EXPECT_EQ(of_rows.to_vector(), rows);
    EXPECT_EQ(of_columns.to_vector(), columns);
    EXPECT_EQ(of_all.host()[0], all);
  });
}

}  // namespace
}  // namespace pappus::testing

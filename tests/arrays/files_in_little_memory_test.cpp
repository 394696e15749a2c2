// Arrays in files that are larger than memory, files that can't be read, and what is refused.
#include <atomic>
#include <cstdint>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "imagined_file.h"
#include "large_arrays.h"
#include "pappus/pappus.h"
#include "session/session.h"
#include "support/held_launches.h"

namespace pappus::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr std::int64_t rows = 700, columns = 450;  // 1.3 MB of floats
using floats_file = std::shared_ptr<imagined_file<float, 2>>;

float float_at(const idx<2>& at) {
  return static_cast<float>((at[0] * 7919 + at[1] * 104'729) % 1009) / 16.0F;
}
floats_file floats_in(const idx<2>& chunk) {
  return imagine<float, 2>({rows, columns}, chunk, float_at);
}

using file_program = std::function<std::vector<float>(session&, const array<float, 2>&)>;

struct resources {
  std::size_t memory;
  unsigned threads;
};
/// Less than the engine promises to do with, and as much as it wants at least.
const std::vector<resources> little{{2 * scaled_mib, 1}, {2 * scaled_mib, 8}, {4 * scaled_mib, 8}};
const std::vector<resources> enough{
    {10 * scaled_mib, 1}, {16 * scaled_mib, 4}, {24 * scaled_mib, 8}};

/// Bits don't depend on memory or threads.
void same_of_files_at_all_budgets(const file_program& of, const idx<2>& chunk,
                                  const std::vector<resources>& budgets) {
  spill_folder folder;
  const auto file = floats_in(chunk);
  std::vector<float> expected;
  {
    session plenty(settings(folder, std::size_t{64} << 20));
    expected = of(plenty, array_over(plenty, file));
  }
  for (const auto& [budget, threads] : budgets) {
    SCOPED_TRACE(fmt::format("{} bytes, {} threads", budget, threads));
    session s(settings(folder, budget, threads));
    const auto got = of(s, array_over(s, file));
    ASSERT_EQ(got.size(), expected.size());
    EXPECT_EQ(std::memcmp(got.data(), expected.data(), got.size() * sizeof(float)), 0);
    EXPECT_LE(s.host_memory_peak(), budget);
  }
}

/// Sums of floats, whose bits show the order in which they are made.
std::vector<float> sums(session& s, const array<float, 2>& of) {
  const auto of_columns = s.zeros<float>({columns}), of_all = s.zeros<float>({1});
  const auto [i, j] = launch_index<2>();
  s.for_each(
      {rows, columns},
      [](idx<2> p, reads<float, 2> from, reduces<float> columns, reduces<float> all) {
        columns[p[1]] += from[p];
        all[0] += from[p];
      },
      of.at(i, j), of_columns.at(j), of_all.at(0));
  auto result = of_columns.to_vector();
  result.push_back(of_all.host()[0]);
  return result;
}

/// With two arrays of the file's size, of which most is on the disk.
std::vector<float> turned(session& s, const array<float, 2>& of) {
  const auto to = s.zeros<float, 2>({columns, rows}), copied = of.copy();
  const auto [i, j] = launch_index<2>();
  s.for_each(
      {columns, rows},
      [](idx<2> p, reads<float, 2> a, reads<float, 2> b, writes<float, 2> to) {
        to[p] = a(p[1], p[0]) + 2 * b(p[1], p[0]);
      },
      of.at(j, i), copied.at(j, i), to.at(i, j));
  std::vector<float> result;
  for (std::int64_t low = 0; low < columns; low += 10) {
    const auto part = to[(box<2>{{low, 0}, {low + 10, rows}})].to_vector();
    result.insert(result.end(), part.begin(), part.end());
  }
  return result;
}

std::vector<float> rows_of_query(session&, const array<float, 2>& of) {
  const auto sums = of.rows()
                        .enumerate()
                        .group_by([](const auto& row) { return row.index % columns; })
                        .reduce([](const auto& row) { return row.value; }, reducers::sum<float>());
  std::vector<float> result;
  for (const auto& [key, value] : sums.collect()) result.push_back(value);
  return result;
}

using arrays_in_files_in_little_memory = scaled_test;

TEST_F(arrays_in_files_in_little_memory, are_summed) {
  same_of_files_at_all_budgets(sums, {64, 64}, little);
  same_of_files_at_all_budgets(sums, {5, columns}, little);
  same_of_files_at_all_budgets(sums, {rows, 7}, little);
}

TEST_F(arrays_in_files_in_little_memory, are_transposed) {
  same_of_files_at_all_budgets(turned, {64, 64}, enough);
  same_of_files_at_all_budgets(turned, {5, columns}, enough);
}

TEST_F(arrays_in_files_in_little_memory, are_rows_of_queries) {
  same_of_files_at_all_budgets(rows_of_query, {64, 64}, enough);
  same_of_files_at_all_budgets(rows_of_query, {5, columns}, enough);
}

/// Threads wait for room: none fails because others have what it needs.
TEST_F(arrays_in_files_in_little_memory, have_large_chunks) {
  const auto file = floats_in({250, 250});  // 250 KB, of two scaled MiB
  session s({.threads = 8, .host_memory = 2 * scaled_mib + scaled_mib / 4, .spill = "off"});
  const auto a = array_over(s, file);
  const auto all = s.zeros<std::int64_t>({1});
  const auto [i, j] = launch_index<2>();
  for (int round = 0; round < 3; ++round)
    s.for_each(
        {rows, columns},
        [](idx<2> p, reads<float, 2> from, reduces<std::int64_t> all) {
          all[0] += static_cast<std::int64_t>(from[p] * 16);
        },
        a.at(i, j), all.at(0));
  std::int64_t expected = 0;
  for (std::int64_t i = 0; i < rows; ++i)
    for (std::int64_t j = 0; j < columns; ++j)
      expected += static_cast<std::int64_t>(float_at({i, j}) * 16);
  EXPECT_EQ(all.host()[0], 3 * expected);
}

std::string what_fails(const std::function<void()>& call) {
  try {
    call();
  } catch (const std::exception& e) {
    return e.what();
  }
  return "nothing";
}

TEST_F(arrays_in_files_in_little_memory, whose_chunks_never_fit_are_refused) {
  session s({.threads = 2, .host_memory = 4 * scaled_mib, .spill = "off"});
  const auto a = array_over(s, floats_in({rows, columns}));
  const auto all = s.zeros<float>({1});
  const auto [i, j] = launch_index<2>();
  s.for_each(
      {rows, columns},
      [](idx<2> p, reads<float, 2> from, reduces<float> all) { all[0] += from[p]; }, a.at(i, j),
      all.at(0));
  EXPECT_THAT(what_fails([&] { all.host(); }),
              AllOf(HasSubstr("for_each at files_in_little_memory_test.cpp"), HasSubstr("MiB")));
  EXPECT_THAT(what_fails([&] { (void)a.rows().sum().get(); }), HasSubstr("MiB"));
  EXPECT_EQ(s.range(0, 1000).sum().get(), 499'500);
}

TEST(arrays_in_files, that_cant_be_read_fail_the_launch_alone) {
  const auto file = floats_in({64, 64});
  file->fails_at = 37;
  for (const unsigned threads : {1U, 6U}) {
    session s({.threads = threads});
    const auto a = array_over(s, file), good = array_over(s, floats_in({64, 64}));
    const auto b = s.zeros<float, 2>({rows, columns}), c = s.zeros<float, 2>({rows, columns});
    const auto [i, j] = launch_index<2>();
    const auto copies = [](idx<2> p, reads<float, 2> from, writes<float, 2> to) {
      to[p] = from[p];
    };
    s.for_each({rows, columns}, copies, a.at(i, j), b.at(i, j));
    s.for_each({rows, columns}, copies, good.at(i, j), c.at(i, j));
    EXPECT_THAT(what_fails([&] { b.host(); }),
                AllOf(HasSubstr("for_each at"), HasSubstr("imagined: chunk 37")));
    EXPECT_EQ(c.host()(699, 449), float_at({699, 449}));
    EXPECT_THAT(what_fails([&] { a.to_vector(); }), HasSubstr("imagined: chunk 37"));
    EXPECT_THAT(what_fails([&] { a.rows().collect(); }), HasSubstr("imagined: chunk 37"));
    // What doesn't need the chunk is there.
    EXPECT_EQ((a[(box<2>{{0, 0}, {64, 64}})].to_vector().back()), float_at({63, 63}));
  }
}

TEST(arrays_in_files, cant_be_written_to) {
  session s({.threads = 2});
  const auto a = array_over(s, floats_in({64, 64}));
  const auto [i, j] = launch_index<2>();
  EXPECT_THAT(
      what_fails([&] {
        s.for_each({rows, columns}, [](idx<2> p, writes<float, 2> to) { to[p] = 1; }, a.at(i, j));
      }),
      AllOf(HasSubstr("for_each at files_in_little_memory_test.cpp"),
            HasSubstr("expected an array in memory"), HasSubstr("imagined"), HasSubstr("copy()")));
  EXPECT_THAT(what_fails([&] { a.fill(1); }), HasSubstr("expected an array in memory"));
  EXPECT_THAT(what_fails([&] { a.host_write(); }), HasSubstr("expected an array in memory"));
  const auto copied = a.copy();
  copied.fill(1);
  EXPECT_EQ(copied.host()(3, 4), 1.0F);
  EXPECT_EQ(a.host()(3, 4), float_at({3, 4}));
}

/// Their elements stay readable as long as somebody has them, whatever becomes of the handle.
TEST(arrays_in_files, may_go_before_launches_have_run) {
  session s({.threads = 4});
  const auto b = s.zeros<float, 2>({rows, columns});
  const auto [i, j] = launch_index<2>();
  std::weak_ptr<imagined_file<float, 2>> gone;
  {
    const auto file = floats_in({64, 64});
    gone = file;
    s.for_each(
        {rows, columns},
        [](idx<2> p, reads<float, 2> from, writes<float, 2> to) { to[p] = from[p]; },
        array_over(s, file).at(i, j), b.at(i, j));
  }
  EXPECT_EQ(b.host()(600, 400), float_at({600, 400}));
  s.wait();
}

TEST(arrays_in_files, are_read_by_several_threads_and_cancelled) {
  session s({.threads = 4});
  const auto file = floats_in({32, 32});
  const auto a = array_over(s, file);
  std::atomic<int> done{0};
  const auto work = [&] {
    for (int n = 0; n < 10; ++n) try {
        const auto all = s.zeros<double>({1});
        const auto [i, j] = launch_index<2>();
        s.for_each(
            {rows / 4, columns / 4},
            [](idx<2> p, reads<float, 2> from, reduces<double> all) {
              all[0] += static_cast<double>(from[p]);
            },
            a.at(i, j), all.at(0));
        (void)all.host()[0];
        ++done;
      } catch (const cancelled&) {
        ++done;
      }
  };
  {
    std::vector<std::jthread> threads;
    for (int t = 0; t < 4; ++t) threads.emplace_back(work);
    for (int n = 0; n < 10; ++n) {
      std::this_thread::yield();
      s.cancel();
    }
  }
  EXPECT_EQ(done, 40);
  EXPECT_EQ((a[(box<2>{{1, 1}, {2, 2}})].to_vector().front()), float_at({1, 1}));
}

TEST(arrays_in_files, are_explained) {
  session s({.threads = 2});
  held_launches held(s);
  const auto a = array_over(s, floats_in({64, 64}));
  const auto b = s.zeros<float, 2>({rows, columns});
  const auto [i, j] = launch_index<2>();
  s.for_each(
      {rows, columns}, [](idx<2> p, reads<float, 2> from, writes<float, 2> to) { to[p] = from[p]; },
      a.at(i, j), b.at(i, j));
  const auto text = b.explain();
  EXPECT_THAT(text, AllOf(HasSubstr("imagined: 88 of 88 chunks of 16 KiB, each once"),
                          HasSubstr("items end where chunks of")));
}

}  // namespace
}  // namespace pappus::testing

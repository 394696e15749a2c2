// Files that stream: how much of them is read, what memory that takes, and that windows never shape
// a result.
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <span>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "pappus/pappus.h"
#include "support/scaled_memory.h"

namespace pappus {
namespace {

using ::testing::ContainsRegex;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

using testing::scaled_mib;

struct entry {
  int number = 0;
  double value = 0;
};

/// A CSV file and a raw one with the same records, about 15 bytes each.
template <int Rows>
class two_files : public testing::scaled_test {
 protected:
  static constexpr int rows = Rows;
  static void SetUpTestSuite() {
    session s;
    const auto all = s.range(0, rows).map([](int i) { return entry{i, i * 0.5}; });
    all.write(path("csv"), column("number", &entry::number), column("value", &entry::value));
    all.write(path("raw"));
  }
  static void TearDownTestSuite() {
    for (const char* suffix : {"csv", "raw"}) std::filesystem::remove(path(suffix));
  }

  static std::string path(const char* suffix) {
    return (std::filesystem::temp_directory_path() /
            ("pappus-streaming-" + std::to_string(::getpid()) + "." + suffix))
        .string();
  }
  static collection<entry> csv(session& s) {
    return s.csv<entry>(path("csv"), column("number", &entry::number),
                        column("value", &entry::value));
  }
  static collection<entry> raw(session& s) { return s.raw<entry>(path("raw")); }

  /// Bytes that this process reads from files while f runs.
  template <typename F>
  static std::size_t bytes_read(F&& f) {
    const auto so_far = [] {
      std::ifstream io("/proc/self/io");
      std::string name;
      std::size_t bytes = 0;
      io >> name >> bytes;
      return bytes;
    };
    const auto before = so_far();
    f();
    return so_far() - before;
  }
};
using streaming = two_files<250'000>;     // more than there is memory for
using short_streams = two_files<75'000>;  // many windows

std::vector<int> numbers_of(const records<entry>& found) {
  std::vector<int> numbers;
  for (const auto& e : found) numbers.push_back(e.number);
  return numbers;
}

bool is_rare(const entry& e) { return e.number % 6'250 == 6'249; }

TEST_F(streaming, first_and_any_read_only_the_first_windows) {
  session s;
  for (const auto& file : {csv(s), raw(s)}) {
    EXPECT_LE(bytes_read([&] { EXPECT_EQ(file.first().get().number, 0); }), 2 * scaled_mib);
    EXPECT_LE(bytes_read([&] {
                EXPECT_TRUE(file.any([](const entry& e) { return e.number == 5'000; }).get());
              }),
              8 * scaled_mib);
    EXPECT_LE(bytes_read([&] {
                EXPECT_FALSE(file.all([](const entry& e) { return e.number < 100; }).get());
              }),
              2 * scaled_mib);
    EXPECT_GE(bytes_read([&] { EXPECT_EQ(file.count().get(), rows); }), 26 * scaled_mib);
  }
}

TEST_F(streaming, take_reads_only_what_it_needs) {
  session s;
  for (const auto& file : {csv(s), raw(s)}) {
    EXPECT_LE(
        bytes_read([&] { EXPECT_THAT(numbers_of(file.take(3).collect()), ElementsAre(0, 1, 2)); }),
        2 * scaled_mib);
    EXPECT_LE(bytes_read([&] {
                EXPECT_THAT(numbers_of(file.skip(2'500).take(2).collect()),
                            ElementsAre(2'500, 2'501));
              }),
              2 * scaled_mib);
    EXPECT_LE(bytes_read([&] {
                EXPECT_THAT(numbers_of(file.filter(is_rare).skip(1).take(2).collect()),
                            ElementsAre(12'499, 18'749));
              }),
              24 * scaled_mib);
    EXPECT_EQ(bytes_read([&] { EXPECT_TRUE(raw(s).take(0).collect().empty()); }) < scaled_mib,
              true);
  }
}

TEST_F(streaming, collections_of_a_file_go_through_their_one_reader) {
  session s(options{.threads = 2, .host_memory = 24 * scaled_mib});
  for (const auto& file : {csv(s), raw(s)}) {
    const collection<entry> odd = file.filter([](const entry& e) { return e.number % 2 == 1; });
    const collection<int> numbers = odd.map([](const entry& e) { return e.number; });
    EXPECT_EQ(odd.count().get(), rows / 2);
    EXPECT_EQ(numbers.sum().get(), std::int64_t{rows / 2} * (rows / 2));
    const auto tens = numbers.group_by([](int n) { return n % 10; }).count().collect();
    EXPECT_EQ(tens.size(), 5u);
    int expected = 1;
    numbers.for_each_chunk([&](std::span<const int> chunk) {
      for (const int n : chunk) {
        ASSERT_EQ(n, expected);
        expected += 2;
      }
    });
    EXPECT_EQ(expected, rows + 1);
  }
  EXPECT_EQ(s.host_memory_used(), 0u);
}

TEST_F(streaming, filters_of_a_file_take_memory_for_what_they_keep) {
  // The least that any query needs is 8 scaled MiB and 2 a thread.
  session s(options{.threads = 8, .host_memory = (8 + 16 + 16) * scaled_mib});
  for (const auto& file : {csv(s), raw(s)}) {  // 8 of them stay, and their contiguous copy
    const auto some = file.filter([](const entry& e) { return e.number % 4 == 3; }).collect();
    ASSERT_EQ(some.size(), rows / 4u);
    for (int i = 0; i < rows / 4; ++i)
      ASSERT_EQ(some[static_cast<std::size_t>(i)].number, 4 * i + 3);
  }
  EXPECT_EQ(s.host_memory_used(), 0u);
}

TEST_F(streaming, slices_of_a_file_take_memory_for_their_rows) {
  session s(options{.threads = 2, .host_memory = 24 * scaled_mib});
  for (const auto& file : {csv(s), raw(s)}) {
    EXPECT_EQ(file.take(5).collect().size(), 5u);
    EXPECT_EQ(file.filter(is_rare).take(1000).collect().size(), 40u);
    EXPECT_THAT(numbers_of(file.skip(rows - 2).collect()), ElementsAre(rows - 2, rows - 1));
    EXPECT_EQ(file.skip(1).take(rows - 2).map([](const entry& e) { return e.number; }).sum().get(),
              std::int64_t{rows - 1} * (rows - 2) / 2);
    EXPECT_EQ(file.map([](const entry& e) { return std::array<double, 4>{e.value}; })
                  .skip(rows - 1)
                  .count()
                  .get(),
              1);
  }
  EXPECT_EQ(s.host_memory_used(), 0u);
}

TEST_F(short_streams, slices_of_files_are_those_of_rows_in_memory) {
  session s;
  const auto all = csv(s).collect();
  const auto kept = s.borrow(all);
  const auto check = [&](auto query) {
    const auto expected = numbers_of(query(kept).collect());
    for (const auto memory : {1024 * scaled_mib, 96 * scaled_mib}) {
      session other(options{.threads = 3, .host_memory = memory});
      EXPECT_EQ(numbers_of(query(csv(other)).collect()), expected);
      EXPECT_EQ(numbers_of(query(raw(other)).collect()), expected);
    }
  };
  check([](auto file) { return file.skip(10).take(12'500).skip(8'750).take(9); });
  check([](auto file) { return file.take(30).skip(40); });
  check([](auto file) { return file.take(-1); });
  check([](auto file) { return file.skip(rows + 5); });
  check([](auto file) { return file.filter(is_rare).take(7).take(3).concat(file.take(2)); });
  check([](auto file) {
    return file.flat_map([](const entry& e) { return std::array{e, e}; }).skip(12'499).take(3);
  });
  const auto later = [](const entry& e, std::span<const entry> marks) {
    return e.number > 3 * marks[0].number && is_rare(e);
  };
  check([=](auto file) { return file.filter(later, file.skip(3'750).take(1).shared()).take(3); });
  check(
      [](auto file) { return file.skip(5).top(3, [](const entry& e) { return e.number % 977; }); });
}

TEST_F(short_streams, sums_do_not_depend_on_windows) {
  const auto sums = [](session& s, const collection<entry>& file) {
    const auto third = [](const entry& e) { return e.value / 3; };
    const auto digit = [](const entry& e) { return e.number % 10; };
    std::vector<double> found{file.map(third).sum().get(), file.map(third).variance().get(),
                              file.skip(7).map(third).sum().get(),
                              file.take(54'321).map(third).mean().get()};
    for (const auto& [key, sum] : file.group_by(digit).sum(third).collect()) found.push_back(sum);
    EXPECT_EQ(s.host_memory_used(), 0u);
    return found;
  };
  session large;
  const auto expected = sums(large, csv(large));
  session small(options{.threads = 3, .host_memory = 12 * scaled_mib});
  EXPECT_EQ(sums(small, csv(small)), expected);
  EXPECT_EQ(sums(small, raw(small)), expected);
}

TEST_F(short_streams, explain_tells_that_a_file_is_read_until_all_is_known) {
  session s;
  EXPECT_THAT(
      csv(s).filter(is_rare).take(5).explain(),
      ContainsRegex("take: \\? → ≤ 5 rows, [0-9,]+ rows a chunk, cpu, streams its input in windows "
                    "until it has what it needs, reads"));
  EXPECT_THAT(csv(s).first().explain(), HasSubstr("until it has what it needs"));
  EXPECT_THAT(csv(s).count().explain(), ::testing::Not(HasSubstr("until it has what it needs")));
}

TEST_F(short_streams, rows_go_to_a_device_that_was_asked_for_and_streams_stay_on_the_cpu) {
  session s(options{.devices = "cpu,test:seed=1+delay_us=0"});
  const auto doubled = raw(s).map([](const entry& e) { return 2 * e.number; });
  EXPECT_THAT(doubled.on("test").sum().explain_analyze(), HasSubstr("ran on test:"));
  EXPECT_THAT(doubled.sum().explain(),
              HasSubstr("it streams a file; cache() before it puts the rows "
                        "in memory"));
  EXPECT_THAT(doubled.cache().sum().explain(),
              ContainsRegex("on the CPU, .*; test:[0-9]+ would take"));
  const auto expected = std::int64_t{rows} * (rows - 1);
  EXPECT_EQ(doubled.on("test").sum().get(), expected);
  EXPECT_EQ(doubled.sum().get(), expected);
  session only(options{.devices = "test:seed=1+delay_us=0"});
  EXPECT_EQ(raw(only).map([](const entry& e) { return 2 * e.number; }).sum().get(), expected);
}

TEST_F(streaming, goes_to_each_of_several_stages) {
  session s{options{.threads = 2, .host_memory = 24 * scaled_mib, .devices = "cpu"}};
  for (const auto& all : {raw(s), csv(s)}) {
    auto sum = all.sum(&entry::value);
    auto odd = all.filter([](const entry& e) { return e.number % 2 == 1; }).count();
    auto last = all.sort_by(descending(&entry::number)).first();
    const collection<entry> few = all.skip(125'000).take(10);
    const auto bytes = bytes_read([&] { s.run(sum, odd, last); });
    EXPECT_GT(bytes, 3 * 20 * scaled_mib);  // once for each of three stages
    EXPECT_EQ(sum.get(), 0.25 * rows * (rows - 1.0));
    EXPECT_EQ(odd.get(), rows / 2);
    EXPECT_EQ(last.get().number, rows - 1);
    auto of_few = few.sum(&entry::value);
    auto of_all = all.max(&entry::value);
    s.run(of_few, of_all);
    EXPECT_EQ(of_few.get(), 625'022.5);
    EXPECT_EQ(of_all.get(), 0.5 * (rows - 1));
  }
  EXPECT_LE(s.host_memory_peak(), s.host_memory());
}

TEST_F(streaming, comes_once_for_values_of_one_query) {
  session s{options{.threads = 2, .host_memory = 24 * scaled_mib, .devices = "cpu"}};
  const auto odd = raw(s).filter([](const entry& e) { return e.number % 2 == 1; });
  const auto n = odd.count();
  const auto sum = odd.sum(&entry::value);
  const auto last = odd.max(&entry::number);
  const auto bytes = bytes_read([&] { s.run(n, sum, last); });
  EXPECT_LT(bytes, 2 * rows * sizeof(entry));
  EXPECT_EQ(n.get(), rows / 2);
  EXPECT_EQ(sum.get(), 0.5 * (0.25 * rows * rows));
  EXPECT_EQ(last.get(), rows - 1);
}

TEST_F(streaming, is_in_memory_where_one_of_several_stages_needs_that) {
  session s{options{.threads = 2, .host_memory = 256 * scaled_mib, .devices = "cpu"}};
  const auto all = raw(s);
  auto sum = all.sum(&entry::value);
  auto odd = all.filter([](const entry& e) { return e.number % 2 == 1; }).sum(&entry::value);
  const auto bytes = bytes_read([&] { s.run(sum, odd); });
  EXPECT_EQ(sum.get(), 0.25 * rows * (rows - 1.0));
  EXPECT_LT(bytes, 2 * rows * sizeof(entry));  // read once, because it fits

  session less{options{.threads = 2, .host_memory = 24 * scaled_mib, .devices = "cpu"}};
  const auto again = raw(less);
  auto also = again.sum(&entry::value);
  auto shared =
      less.range(0, 3)
          .map([](int i,
                  std::span<const entry> of) { return of[static_cast<std::size_t>(i)].value; },
               again.shared())
          .sum();
  EXPECT_THROW(less.run(also, shared), memory_error);
}

TEST_F(streaming, is_read_again_in_each_iteration_of_a_loop) {
  const auto means = [](session& s, const collection<entry>& all) {
    const std::vector<double> first{125, 62'500, 112'500};
    return s
        .do_while(
            s.from(first),
            [&](const collection<double>& centers) {
              return all
                  .group_by(
                      [](const entry& e, std::span<const double> at) {
                        std::int64_t best = 0;
                        for (std::size_t k = 1; k < at.size(); ++k)
                          if (std::abs(e.value - at[k]) <
                              std::abs(e.value - at[static_cast<std::size_t>(best)]))
                            best = static_cast<std::int64_t>(k);
                        return best;
                      },
                      centers.shared(), domain{3})
                  .mean(&entry::value)
                  .map([](const auto& group) { return group.value; });
            },
            [](std::span<const double>, std::span<const double>) { return true; },
            max_iterations{4})
        .collect()
        .to_vector();
  };
  session large{options{.threads = 2, .devices = "cpu"}};
  const auto expected = means(large, raw(large));
  for (const bool text : {false, true}) {
    session s{options{.threads = 2, .host_memory = 24 * scaled_mib, .devices = "cpu"}};
    const auto all = text ? csv(s) : raw(s);
    EXPECT_EQ(means(s, all), expected);  // the same bits
    EXPECT_LE(s.host_memory_peak(), s.host_memory());
    EXPECT_EQ(s.host_memory_used(), 0u);
  }
}

// However late: what was handed on isn't all of it.
TEST(cancelled_queries, throw_while_rows_are_handed_on) {
  const testing::scaled_memory scaled;  // so that there are several chunks
  for (const unsigned threads : {1U, 3U}) {
    session s({.threads = threads, .devices = "cpu"});
    const std::int64_t n = 3'000'000;
    const auto rows = s.range(std::int64_t{0}, n).map([](std::int64_t i) { return i; });
    int chunks = 0;
    rows.for_each_chunk([&](std::span<const std::int64_t>) { ++chunks; });
    ASSERT_GT(chunks, 1);
    for (const int at : {1, chunks - 1, chunks}) {
      SCOPED_TRACE(at);
      std::int64_t seen = 0;
      int calls = 0;
      EXPECT_THROW(rows.for_each_chunk([&](std::span<const std::int64_t> chunk) {
        seen += std::ssize(chunk);
        if (++calls == at) s.cancel();
      }),
                   cancelled);
      EXPECT_EQ(calls, at);
      EXPECT_EQ(seen == n, at == chunks);
    }
    const auto path = (std::filesystem::temp_directory_path() /
                       ("pappus-cancelled-" + std::to_string(::getpid()) + ".raw"))
                          .string();
    EXPECT_THROW(rows.map([&](std::int64_t i) {
                       if (i == n - 1) s.cancel();
                       return i;
                     })
                     .write(path),
                 cancelled);
    EXPECT_FALSE(std::filesystem::exists(path));
    EXPECT_EQ(rows.count().get(), n);
  }
}

}  // namespace
}  // namespace pappus

// Intermediate results on devices that have too little memory for all of them: some are moved to
// the host, and every stage still runs where it was to run.
#include <array>
#include <atomic>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <thread>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "conformance/harness.h"
#include "pappus/pappus.h"
#include "support/scaled_memory.h"
#include "support/spill_folder.h"

namespace pappus::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

struct entry {
  std::int64_t key, value;
};
using entries = collection<entry>;
using entry_pair = pair<entry, entry>;

constexpr const char* moved_to_host = " of rows moved to the host to make room";
constexpr std::size_t KiB = 1 << 10;

std::vector<entry> some_entries(std::int64_t n) {
  std::vector<entry> all(static_cast<std::size_t>(n));
  for (std::int64_t i = 0; i < n; ++i) all[static_cast<std::size_t>(i)] = {i * 7919 % 1009, i};
  return all;
}

entries mapped(const entries& from, std::int64_t by) {
  return from.map([by](const entry& e) { return entry{e.key + by, e.value * by}; }).materialise();
}
entries added(const entries& a, const entries& b) {
  return a.zip(b).map([](const entry_pair& p) {
    return entry{p.first.key + p.second.key, p.first.value ^ p.second.value};
  });
}

options on_devices(const std::string& devices, std::size_t memory) {
  return {.threads = 2, .devices = devices, .device_memory = memory};
}
const std::string one_device = "test:seed=1+delay_us=0";

/// Of 45 KiB each, all of which are read in the end.
constexpr std::int64_t rows_each = 2'880;
entries several(session& s, const std::vector<entry>& in, int results) {
  const auto first = s.borrow(in);
  std::vector<entries> all;
  for (int i = 0; i < results; ++i) all.push_back(mapped(first, 2 * i + 3));
  auto sum = all.front();
  for (int i = 1; i < results; ++i) sum = added(sum, all[static_cast<std::size_t>(i)]);
  return sum;
}
struct totals {
  std::int64_t keys, values;
  bool operator==(const totals&) const = default;
};
totals totals_of(const entries& rows) {
  return {rows.map(&entry::key).sum().get(), rows.map(&entry::value).sum().get()};
}

TEST(device_rows_moved, make_room_so_that_no_stage_moves_to_the_cpu) {
  const auto in = some_entries(rows_each);
  session cpu(options{.threads = 2, .devices = "cpu"});
  for (const int results : {3, 4, 6}) {
    const auto expected = totals_of(several(cpu, in, results));
    for (const char* like : {"cpu", "gpu"}) {
      SCOPED_TRACE(fmt::format("{} results, like {}", results, like));
      session s(on_devices(fmt::format("{}+like={}", one_device, like), 100 * KiB));
      const auto rows = several(s, in, results);
      const auto text = rows.map(&entry::value).sum().explain_analyze();
      EXPECT_THAT(text, AllOf(HasSubstr(moved_to_host), Not(HasSubstr("moved to the CPU")),
                              Not(HasSubstr("on the CPU"))));
      EXPECT_EQ(totals_of(rows), expected);
      EXPECT_THAT(s.device_faults(), ::testing::Each(HasSubstr("so chunks were halved")));
    }
  }
}

TEST(device_rows_moved, stay_where_there_is_room) {
  const auto in = some_entries(rows_each);
  session s(on_devices(one_device, 1000 * KiB));
  const auto text = several(s, in, 6).map(&entry::value).sum().explain_analyze();
  EXPECT_THAT(text, AllOf(Not(HasSubstr(moved_to_host)), HasSubstr("ran on test:")));
}

/// Six results that one stage reads.
entries six_at_once(session& s, const std::vector<entry>& in) {
  const auto first = s.borrow(in);
  std::vector<entries> all;
  for (int i = 0; i < 6; ++i) all.push_back(mapped(first, 2 * i + 3));
  return all[0]
      .zip(all[1])
      .zip(all[2])
      .zip(all[3])
      .zip(all[4])
      .zip(all[5])
      .map([](const auto& p) {
        const auto& abcde = p.first;
        const auto& abcd = abcde.first;
        const auto& abc = abcd.first;
        const auto& ab = abc.first;
        const std::array six{ab.first, ab.second, abc.second, abcd.second, abcde.second, p.second};
        entry sum{0, 0};
        for (const auto& e : six) sum = {sum.key + e.key, sum.value ^ e.value};
        return sum;
      })
      .materialise();
}

TEST(device_rows_moved, go_on_to_the_disk_where_the_host_has_no_room_either) {
  const scaled_memory scaled;
  const spill_folder folder;
  const auto in = some_entries(rows_each);
  session cpu(options{.threads = 2, .devices = "cpu"});
  const auto expected = totals_of(several(cpu, in, 6));
  for (const std::size_t host : {1000 * KiB, 200 * KiB}) {
    auto with = on_devices(one_device, 100 * KiB);
    with.host_memory = host;
    with.spill = folder.path();
    session s(with);
    const auto rows = six_at_once(s, in);
    const auto text = rows.map(&entry::value).sum().explain_analyze();
    EXPECT_THAT(text, AllOf(HasSubstr(moved_to_host), Not(HasSubstr("on the CPU"))));
    EXPECT_EQ(text.find("spill file: ") != std::string::npos, host < 500 * KiB) << text;
    EXPECT_EQ(totals_of(rows), expected);
    EXPECT_LE(s.host_memory_peak(), s.host_memory());
  }
}

/// A pipeline of results that are kept apart and read together.
class random_results {
 public:
  random_results(session& s, const std::vector<entry>& in, std::uint64_t seed) : numbers_(seed) {
    made_.push_back(s.borrow(in));
    for (auto more = numbers_.between(2, 7); more > 0; --more) made_.push_back(next());
  }
  /// Reads the results, each once, as one.
  entries all() {
    auto sum = made_.back();
    for (std::size_t i = 0; i + 1 < made_.size(); ++i) sum = together(sum, made_[i]);
    return sum;
  }

 private:
  const entries& some() {
    return made_[static_cast<std::size_t>(
        numbers_.between(0, static_cast<std::int64_t>(made_.size()) - 1))];
  }
  entries together(const entries& a, const entries& b) {
    return numbers_.between(0, 2) == 0 ? a.concat(b) : added(a, b);
  }
  entries next() {
    const auto by = numbers_.between(2, 9);
    const auto& from = some();
    switch (numbers_.between(0, 6)) {
      case 0:
        return from.filter([by](const entry& e) { return e.key % by != 0; }).materialise();
      case 1:
        return from
            .flat_map([by](const entry& e) {
              return std::vector<entry>(static_cast<std::size_t>((e.key % by + by) % by == 0) + 1,
                                        e);
            })
            .materialise();
      case 2:
        return from.sort_by(&entry::key).materialise();
      case 3:
        return from.map(&entry::value)
            .inclusive_scan()
            .map([](std::int64_t x) { return entry{x % 1000, x}; })
            .materialise();
      case 4:
        return together(from, some()).materialise();
      default:
        return mapped(from, by);
    }
  }

  random numbers_;
  std::vector<entries> made_;
};

std::vector<std::array<std::int64_t, 2>> values_of(const entries& rows) {
  std::vector<std::array<std::int64_t, 2>> all;
  for (const auto& e : rows.collect()) all.push_back({e.key, e.value});
  return all;
}

TEST(device_rows_moved, leave_results_of_random_pipelines_as_they_are_with_any_memory) {
  session cpu(options{.threads = 2, .devices = "cpu"});
  int moved = 0;
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    random numbers(seed);
    const auto in = some_entries(numbers.between(0, 1'500));
    const auto expected = values_of(random_results(cpu, in, seed).all());
    std::string devices;
    for (auto n = numbers.between(1, 2); n > 0; --n)
      devices += fmt::format("{}test:seed={}+delay_us=0+like={}", devices.empty() ? "" : ",",
                             seed + static_cast<std::uint64_t>(n),
                             numbers.between(0, 1) == 0 ? "cpu" : "gpu");
    for (const std::size_t memory : {4000 * KiB, 128 * KiB, 64 * KiB, 32 * KiB}) {
      auto with = on_devices(devices, memory);
      with.chunk_rows = numbers.between(0, 2) == 0 ? 100 : 0;
      SCOPED_TRACE(fmt::format("seed {}, {} B on {}", seed, memory, devices));
      session s(with);
      const auto rows = random_results(s, in, seed).all();
      ASSERT_EQ(values_of(rows), expected);
      const auto text = rows.map(&entry::value).sum().explain_analyze();
      moved += text.find(moved_to_host) != std::string::npos;
    }
  }
  EXPECT_GT(moved, 5);
}

/// A fault at call 0, 1, 2, ... and the two after it.
TEST(device_rows_moved, are_right_whatever_fails_meanwhile) {
  const auto in = some_entries(1'000);
  session cpu(options{.threads = 2, .devices = "cpu"});
  const auto expected = totals_of(several(cpu, in, 3));
  for (const char* fault : {"oom", "launch", "lost"})
    for (int call = 0; call < 90; call += 3) {
      std::string device = "test:seed=5+delay_us=0";
      for (int i = 0; i < 3; ++i) device += fmt::format("+at={}/{}", call + i, fault);
      SCOPED_TRACE(device);
      session s(on_devices(device, 35 * KiB));
      ASSERT_EQ(totals_of(several(s, in, 3)), expected);
    }
  session s(on_devices(one_device, 35 * KiB));
  EXPECT_THAT(several(s, in, 3).map(&entry::value).sum().explain_analyze(),
              HasSubstr(moved_to_host));
}

TEST(device_rows_moved, make_room_for_queries_of_several_threads) {
  const auto in = some_entries(rows_each);
  session cpu(options{.threads = 2, .devices = "cpu"}), s(on_devices(one_device, 100 * KiB));
  const auto expected = totals_of(several(cpu, in, 3));
  std::atomic<int> wrong{0};
  {
    std::vector<std::jthread> threads;
    for (int t = 0; t < 3; ++t)
      threads.emplace_back([&] {
        for (int i = 0; i < 4; ++i) wrong += !(totals_of(several(s, in, 3)) == expected);
      });
  }
  EXPECT_EQ(wrong.load(), 0);
  EXPECT_THAT(s.device_faults(), ::testing::Each(HasSubstr("so chunks were halved")));
}

}  // namespace
}  // namespace pappus::testing

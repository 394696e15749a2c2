// Queries on devices that fail: the answer is the CPU's all the same, and what happened is told.
#include <array>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "conformance/harness.h"
#include "pappus/pappus.h"

namespace pappus::testing {
namespace {

struct reading {
  int station;
  int value;
};

/// A query's result as bytes, whatever its type.
using outcome = std::vector<std::byte>;
template <typename T>
outcome bytes_of(const records<T>& rows) {
  outcome bytes(rows.size() * sizeof(T));
  if (!bytes.empty()) std::memcpy(bytes.data(), rows.data(), bytes.size());
  return bytes;
}
template <typename T>
outcome bytes_of(const T& one) {
  outcome bytes(sizeof(T));
  std::memcpy(bytes.data(), &one, sizeof(T));
  return bytes;
}

struct named_query {
  const char* name;
  std::function<outcome(session&, const std::vector<reading>&)> run;
};

/// Every operator that devices have. Integers only: their results
/// are the same wherever they are computed.
const std::vector<named_query>& single_queries() {
  using rows = const std::vector<reading>&;
  static const std::vector<named_query> all{
      {"map",
       [](session& s, rows in) {
         return bytes_of(s.borrow(in).map([](const reading& r) { return r.value * 3; }).collect());
       }},
      {"filter",
       [](session& s, rows in) {
         return bytes_of(
             s.borrow(in).filter([](const reading& r) { return r.value % 3 == 0; }).collect());
       }},
      {"flat_map",
       [](session& s, rows in) {
         return bytes_of(s.borrow(in)
                             .flat_map([](const reading& r) {
                               return std::vector<int>(static_cast<std::size_t>(r.station % 3),
                                                       r.value);
                             })
                             .collect());
       }},
      {"sum",
       [](session& s, rows in) { return bytes_of(s.borrow(in).map(&reading::value).sum().get()); }},
      {"sort", [](session& s,
                  rows in) { return bytes_of(s.borrow(in).sort_by(&reading::value).collect()); }},
      {"top", [](session& s,
                 rows in) { return bytes_of(s.borrow(in).top(7, &reading::value).collect()); }},
      {"scan",
       [](session& s, rows in) {
         return bytes_of(s.borrow(in).map(&reading::value).inclusive_scan().collect());
       }},
      {"group_by",
       [](session& s, rows in) {
         return bytes_of(s.borrow(in)
                             .group_by(&reading::station)
                             .sum(&reading::value)
                             .map([](const keyed<int, std::int64_t>& group) {
                               return std::array<std::int64_t, 2>{group.key,
                                                                  group.value};  // no padding
                             })
                             .collect());
       }},
  };
  return all;
}

/// Chains and a loop of them.
const std::vector<named_query>& chained_queries() {
  using rows = const std::vector<reading>&;
  static const std::vector<named_query> all{
      {"chain",
       [](session& s, rows in) {
         const auto kept =
             s.borrow(in).filter([](const reading& r) { return r.value > 0; }).materialise();
         const auto sorted = kept.sort_by(&reading::station);
         return bytes_of(
             sorted.map([](const reading& r) { return r.value - r.station; }).collect());
       }},
      {"join",
       [](session& s, rows in) {
         const auto few = s.borrow(in).take(50);
         return bytes_of(
             s.borrow(in)
                 .join(few, &reading::station, &reading::station,
                       [](const reading& a, const reading& b) { return a.value + b.value; })
                 .sum()
                 .get());
       }},
      {"do_while",
       [](session& s, rows in) {
         const auto all_rows = s.borrow(in);
         const auto start = s.from(std::vector<int>{1});
         const auto body = [&](auto state) {
           return all_rows
               .map([](const reading& r,
                       std::span<const int> factor) { return r.value * factor[0]; },
                    state.shared())
               .materialise()
               .map([](int x) { return x % 7; })
               .sort()
               .take(1)
               .map([](int x) { return x * x + 2; });
         };
         return bytes_of(s.do_while(
                              start, body,
                              [](std::span<const int>, std::span<const int>) { return true; },
                              max_iterations{3})
                             .collect());
       }},
  };
  return all;
}

std::vector<named_query> queries() {
  auto all = single_queries();
  all.insert(all.end(), chained_queries().begin(), chained_queries().end());
  return all;
}

std::vector<reading> readings(std::int64_t n, std::uint64_t seed) {
  random numbers(seed);
  std::vector<reading> rows(static_cast<std::size_t>(n));
  for (auto& r : rows)
    r = {static_cast<int>(numbers.between(0, 40)), static_cast<int>(numbers.between(-999, 999))};
  return rows;
}

options on(const std::string& devices, std::size_t memory = std::size_t{8} << 20) {
  return {.threads = 2, .devices = devices, .device_memory = memory};
}

/// What fault schedule number `i` is.
struct schedule {
  std::string devices;
  named_query query;
  std::int64_t rows;
  std::size_t memory;
};

schedule schedule_of(std::uint64_t i) {
  random numbers(i);
  const auto chance = [&](double most) {
    return numbers.between(0, 2) == 0 ? 0.0 : numbers.real(0, most);
  };
  schedule made;
  const auto count = numbers.between(1, 3);
  for (std::int64_t d = 0; d < count; ++d)
    made.devices += fmt::format(
        "{}test:seed={}+delay_us=0+memory=64MiB+oom={:.4f}+build={:.4f}+launch={:.4f}+lost={:.4f}",
        d == 0 ? "" : ",", 3 * i + static_cast<std::uint64_t>(d), chance(0.2), chance(0.2),
        chance(0.05), chance(0.02));
  if (numbers.between(0, 1) == 0) made.devices += ",cpu";
  made.query = queries()[static_cast<std::size_t>(
      numbers.between(0, static_cast<std::int64_t>(queries().size()) - 1))];
  const std::int64_t sizes[] = {0, 1, 17, 4097, 30'011};
  made.rows = sizes[numbers.between(0, 4)];
  made.memory = numbers.between(0, 1) == 0 ? std::size_t{1} << 20 : std::size_t{8} << 20;
  return made;
}

TEST(device_faults, random_schedules_end_in_the_right_answer) {
  const char* wanted = std::getenv("PAPPUS_FAULT_SCHEDULES");
  const std::uint64_t schedules = wanted != nullptr ? std::strtoull(wanted, nullptr, 10) : 500;
  session cpu(options{.threads = 2, .devices = "cpu"});
  std::size_t faults = 0;
  for (std::uint64_t i = 0; i < schedules; ++i) {
    const auto [devices, query, rows, memory] = schedule_of(i);
    SCOPED_TRACE(fmt::format("schedule {}: {} of {} rows on {}", i, query.name, rows, devices));
    const auto in = readings(rows, i);
    const auto expected = query.run(cpu, in);
    session s(on(devices, memory));
    ASSERT_EQ(query.run(s, in), expected);
    faults += s.device_faults().size();
  }
  EXPECT_GT(faults, schedules / 10) << "the schedules hardly ever struck";
}

class fault_at_every_call : public ::testing::TestWithParam<const char*> {};

/// A fault at call 0, 1, 2, ... and the two after it, so that simply asking again doesn't help.
TEST_P(fault_at_every_call, leaves_the_answer_as_it_is) {
  constexpr int calls = 100;
  session cpu(options{.threads = 2, .devices = "cpu"});
  const auto in = readings(2'000, 7);
  for (const auto& query : queries()) {
    const auto expected = query.run(cpu, in);
    int struck = 0;
    for (int call = 0; call < calls; ++call) {
      SCOPED_TRACE(fmt::format("{}: {} at call {}", query.name, GetParam(), call));
      std::string device = "test:seed=5+delay_us=0";
      for (int i = 0; i < 3; ++i) device += fmt::format("+at={}/{}", call + i, GetParam());
      session s(on(device));
      ASSERT_EQ(query.run(s, in), expected);
      struck += s.device_faults().empty() ? 0 : 1;
    }
    EXPECT_GT(struck, 0) << query.name << " never met a fault";
  }
}

INSTANTIATE_TEST_SUITE_P(faults, fault_at_every_call,
                         ::testing::Values("oom", "build", "launch", "lost"),
                         [](const auto& kind) { return std::string(kind.param); });

TEST(device_faults, a_lost_device_is_named_and_not_used_again) {
  session s(on("test:seed=1+delay_us=0+at=12/lost"));
  const auto in = readings(5'000, 1);
  const auto sum = [&] { return s.borrow(in).map(&reading::value).sum(); };
  const auto before = sum().get();
  const auto faults = s.device_faults();
  ASSERT_FALSE(faults.empty());
  EXPECT_NE(faults.front().find("test:"), std::string::npos) << faults.front();
  EXPECT_EQ(sum().get(), before);
  EXPECT_EQ(s.device_faults().size(), faults.size());
}

TEST(device_faults, explain_analyze_tells_where_a_stage_went_and_why) {
  session s(on("test:seed=1+delay_us=0+build=1"));
  const auto in = readings(5'000, 1);
  const auto text = s.borrow(in).map(&reading::value).sum().explain_analyze();
  EXPECT_NE(text.find("its compiler refused the stage's code, so the stage moved to the CPU"),
            std::string::npos)
      << text;
  const auto of_stage = text.substr(text.find("s1 map·sum"));
  const auto line = of_stage.substr(0, of_stage.find('\n'));
  EXPECT_TRUE(line.ends_with(", on cpu")) << line;
}

TEST(device_faults, an_exception_of_a_lambda_reaches_the_caller_from_a_device) {
  session s(on("test:seed=1+delay_us=0"));
  const auto in = readings(5'000, 1);
  const auto throwing = s.borrow(in).map([](const reading& r) {
    if (r.value == 12) throw std::runtime_error("twelve");
    return r.value;
  });
  try {
    throwing.sum().get();
    FAIL() << "no exception";
  } catch (const std::runtime_error& e) {
    EXPECT_TRUE(std::string(e.what()).starts_with("twelve; thrown in map")) << e.what();
  }
}

}  // namespace
}  // namespace pappus::testing

// session::run(): values of one query in one loop, each with the bits that it has alone.
#include <array>
#include <atomic>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <unistd.h>

#include "conformance/harness.h"

namespace pappus::testing::values_run_together {
namespace {

struct reading {
  std::int32_t number;
  float weight;
  double value;
};

std::vector<reading> readings(random& random, std::int64_t n) {
  std::vector<reading> rows(static_cast<std::size_t>(n));
  for (auto& r : rows)
    r = {static_cast<std::int32_t>(random.between(-1000, 1000)),
         static_cast<float>(random.real(-1, 1) * std::exp(random.real(-9, 9))),
         random.real(-1, 1) * std::exp(random.real(-20, 20))};
  return rows;
}

/// Runs values together, then each alone.
template <typename... Makes>
PAPPUS_UNHURRIED void expect_as_alone(session& s, const Makes&... make) {
  const auto together = s.run(make()...);
  const auto alone = std::tuple{make().get()...};
  [&]<std::size_t... I>(std::index_sequence<I...>) {
    const auto expect_same = [](std::size_t i, const auto& got, const auto& expected) {
      EXPECT_TRUE(same_bytes(got, expected)) << "value " << i;
    };
    (expect_same(I, std::get<I>(together), std::get<I>(alone)), ...);
  }(std::index_sequence_for<Makes...>());
}

/// All that a query of readings folds to, of whatever types.
template <typename Query>
PAPPUS_UNHURRIED void expect_all_as_alone(session& s, const Query& of) {
  const auto heavy = [](const reading& r) { return r.weight > 0.5F; };
  const auto climb = [](double a, double b) { return a < 0.5 * b ? b : a; };
  expect_as_alone(
      s, [&] { return of.count(); }, [&] { return of.sum(&reading::value); },
      [&] { return of.sum(&reading::weight); }, [&] { return of.mean(&reading::weight); },
      [&] { return of.mean(&reading::number); }, [&] { return of.variance(&reading::value); },
      [&] { return (of.max)(&reading::value); }, [&] { return (of.min)(&reading::number); },
      [&] { return of.first(&reading::weight); }, [&] { return of.any(heavy); },
      [&] { return of.all(heavy); });
  const auto values = of.map(&reading::value);
  expect_as_alone(
      s, [&] { return values.sum(); }, [&] { return values.reduce(0.0, climb); },
      [&] { return values.mean(); }, [&] { return values.template reduce<reducers::count>(); },
      [&] { return values.aggregate(sum(), count(), variance()); });
}

TEST(run, gives_each_value_the_bits_that_it_has_alone) {
  random random(91);
  for (const auto n : {1, 15, 17, 513, 4097, 65'537, up_to(200'003)}) {
    const auto rows = readings(random, n);
    for (const auto& setting : settings()) {
      if (!adds_as_documented(setting)) continue;
      if (setting.chunk_rows == 1 && n > 100'000) continue;
      SCOPED_TRACE(::testing::Message() << n << " rows, " << setting);
      const pretended_time pretending(setting.slow ? now_and_then_slow : nullptr);
      session s(setting.as_options());
      const auto all = s.borrow(rows);
      const auto first = rows.front().number;
      expect_all_as_alone(s, all);
      expect_all_as_alone(s, all.filter([first](const reading& r) {
        return r.number % 3 != 0 || r.number == first;
      }));
      expect_all_as_alone(s, all.flat_map([](const reading& r) {
        return std::array{r, reading{-r.number, r.weight, 3 * r.value}};
      }));
    }
  }
}

TEST(run, joins_and_reduces_in_one_loop) {
  random random(92);
  const auto left = readings(random, up_to(30'000)), right = readings(random, 500);
  for (const auto& setting : settings()) {
    if (!adds_as_documented(setting) || setting.chunk_rows == 1) continue;
    SCOPED_TRACE(setting);
    const pretended_time pretending(setting.slow ? now_and_then_slow : nullptr);
    session s(setting.as_options());
    expect_all_as_alone(s, s.borrow(left).join(s.borrow(right), &reading::number, &reading::number,
                                               [](const reading& l, const reading& r) {
                                                 return reading{l.number, l.weight * r.weight,
                                                                l.value - r.value};
                                               }));
  }
}

TEST(run, adds_on_devices_what_it_adds_elsewhere) {
  random random(93);
  for (const auto n : sizes()) {
    std::vector<std::int32_t> rows(static_cast<std::size_t>(n));
    std::int64_t sum = 0, kept = 0, odd = 0;
    for (auto& x : rows) {
      x = static_cast<std::int32_t>(random.between(-999, 999));
      if (x > 900) continue;
      sum += x, ++kept, odd += x % 2 != 0 ? 1 : 0;
    }
    expect_value(results(sum, kept, odd), [&](session& s) {
      const auto most = s.borrow(rows).filter([](std::int32_t x) { return x <= 900; });
      const auto [total, number, uneven] =
          s.run(most.sum(), most.count(),
                most.sum([](std::int32_t x) { return std::int64_t{x % 2 != 0}; }));
      return results(total, number, uneven);
    });
  }
}

TEST(run, calls_functions_of_one_query_once_a_record) {
  session s({.threads = 3, .devices = "cpu"});
  static std::atomic<int> calls;
  calls = 0;
  const auto q = s.range(0, 10'000).map([](int x) {
    ++calls;
    return x % 100;
  });
  const auto total = q.sum();
  const auto [most, n, first, again] = s.run((q.max)(), q.count(), q.first(), total);
  EXPECT_EQ(calls.exchange(0), 10'000);
  EXPECT_EQ(most, 99);
  EXPECT_EQ(n, 10'000);
  EXPECT_EQ(first, 0);
  EXPECT_EQ(again, total.get());
  EXPECT_EQ(calls.exchange(0), 0) << "a value keeps what was computed together with others";

  // Steps that are taken behind it are others.
  const auto [whole, some] = s.run(q.sum(), q.filter([](int x) { return x < 50; }).sum());
  EXPECT_EQ(calls.exchange(0), 20'000);
  EXPECT_EQ(whole, 495'000);
  EXPECT_EQ(some, 122'500);
}

TEST(run, tells_queries_of_one_type_apart) {
  session s;
  const auto below = [&](int limit) {
    return s.range(0, 1000).filter([limit](int x) { return x < limit; });
  };
  const auto ten = below(10), five = below(5);
  {
    const auto [a, b, c, d] = s.run(ten.sum(), five.sum(), ten.count(), five.count());
    EXPECT_EQ((std::array{a, b, c, d}), (std::array<std::int64_t, 4>{45, 10, 10, 5}));
  }
  const auto ones = s.from(std::vector{1, 1, 1}), twos = s.from(std::vector{2, 2});
  const auto [one, two, three] = s.run(ones.sum(), twos.sum(), ones.count());
  EXPECT_EQ((std::array{one, two, three}), (std::array<std::int64_t, 3>{3, 4, 3}));
  const auto factors = s.from(std::vector{1, 10}), others = s.from(std::vector{2, 20});
  const auto times = [](int x, std::span<const int> by) { return x * by[1]; };
  const auto all = s.range(0, 3);
  const auto [tens, twenties] =
      s.run(all.map(times, factors.shared()).sum(), all.map(times, others.shared()).sum());
  EXPECT_EQ(tens, 30);
  EXPECT_EQ(twenties, 60);
  EXPECT_EQ(s.run(), std::tuple());
}

/// Its leaves are longer than others'.
struct many_sums {
  std::array<double, 600> sums{};
  void accumulate(double x) {
    for (double& sum : sums) sum += x;
  }
  void merge(const many_sums& other) {
    for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += other.sums[i];
  }
  double finalize() const { return sums[599]; }
};

TEST(run, leaves_reducers_with_large_states_alone) {
  random random(94);
  const auto rows = random.reals(up_to(150'000), -1e9, 1);
  session s({.threads = 2, .devices = "cpu"});
  const auto all = s.borrow(rows);
  expect_as_alone(
      s, [&] { return all.sum(); }, [&] { return all.template reduce<many_sums>(); },
      [&] { return all.mean(); });
}

TEST(run, throws_what_one_of_its_values_throws) {
  session s;
  const auto none = s.range(0, 0);
  EXPECT_THAT(([&] { s.run(none.sum(), (none.min)(), none.count()); }),
              ::testing::ThrowsMessage<usage_error>("min: expected at least one record, got none"));
  const auto bad = s.range(0, 100).map([](int x) {
    if (x == 77) throw std::domain_error("no sevens");
    return x;
  });
  EXPECT_THROW(s.run(bad.sum(), bad.count()), std::domain_error);
  session other;
  EXPECT_THROW(other.run(none.sum(), none.count()), usage_error);
  auto gone = std::make_unique<session>();
  const auto orphans = gone->range(0, 9);
  const auto total = orphans.sum();
  const auto n = orphans.count();
  gone.reset();
  EXPECT_THROW(s.run(total, n), usage_error);
}

struct named {
  std::string_view name;
};

TEST(run, keeps_the_text_of_results) {
  const auto path = std::filesystem::temp_directory_path() /
                    ("pappus_values_run_together_" + std::to_string(::getpid()) + ".csv");
  {
    std::ofstream file(path);
    file << "name\n";
    for (int i = 0; i < 1000; ++i) file << "\"a name of several bytes, " << i << "\"" << "\n";
  }
  std::optional<value<std::string_view>> least, most;
  {
    session s;
    const auto all = s.csv<named>(path.string()).map(&named::name);
    least = (all.min)();
    const auto longest = (all.max)();
    s.run(*least, longest, all.count());
    most = longest;
  }
  std::filesystem::remove(path);
  EXPECT_EQ(least->get(), "a name of several bytes, 0");
  EXPECT_EQ(most->get(), "a name of several bytes, 999");
}

TEST(run, takes_and_gives_values_of_any_kind) {
  session s;
  const auto q = s.range(0, 10);
  std::vector<value<std::int64_t>> kept{q.sum(), q.count()};
  const auto [a, b, c] = s.run(kept[0], kept[1], q.mean());
  EXPECT_EQ(a, 45);
  EXPECT_EQ(b, 10);
  EXPECT_EQ(c, 4.5);
  std::ostringstream shown;
  shown << q.sum() << ' ' << kept[1];
  EXPECT_EQ(shown.str(), "45 10");
  EXPECT_THAT(q.sum().explain(), ::testing::HasSubstr("sum"));
}

TEST(run, takes_values_that_were_assigned) {
  session s;
  const auto below = [&](int limit) {
    return s.range(0, 1000).filter([limit](int x) { return x < limit; });
  };
  auto n = below(1).count();
  for (int limit = 2; limit < 4; ++limit) n = below(limit).count();
  auto m = below(5).count();
  std::swap(m, n);
  EXPECT_EQ(s.run(m, n), std::tuple(3, 5));
  const auto seven = below(7), nine = below(9);
  n = seven.count();
  EXPECT_EQ(s.run(n, seven.sum(), nine.sum()), std::tuple(7, 21, 36));
  n = nine.count();
  EXPECT_EQ(s.run(n, seven.sum()), std::tuple(9, 21));
  n = seven.sum();  // of another operator
  EXPECT_EQ(s.run(n, nine.count()), std::tuple(21, 9));
  EXPECT_EQ(s.run(nine.count(), n), std::tuple(9, 21));
  n = nine.count();
  static_cast<value<std::int64_t>&>(n) = s.range(0, 4).count();
  EXPECT_EQ(s.run(n, nine.sum()), std::tuple(4, 36));
}

TEST(run, takes_what_no_single_loop_can) {
  session s;
  const auto rows = s.range(0, 1000);
  const auto doubled = batched<int>([](std::span<const int> in, std::span<int> out) {
    for (std::size_t i = 0; i < in.size(); ++i) out[i] = 2 * in[i];
  });
  EXPECT_EQ(s.run(rows.count(), rows.sum(doubled), rows.sum()), std::tuple(1000, 999'000, 499'500));
  const auto total = rows.sum();
  const auto all = [&]<std::size_t... I>(std::index_sequence<I...>) {
    return s.run((static_cast<void>(I), total)...);
  }(std::make_index_sequence<detail::fields_max + 1>());
  EXPECT_EQ(std::get<detail::fields_max>(all), 499'500);
}

}  // namespace
}  // namespace pappus::testing::values_run_together

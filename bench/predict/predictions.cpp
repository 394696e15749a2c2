// What explain() predicts beside what queries take: the queries of bench/system and of programs
// like them, small. bench/results/predictions.md has a run.
//
// Measured is the CPU time over all threads, divided by them, of the least of a few runs: other
// work on the machine doesn't count. Predicted is what the session says before it has run anything,
// and, in the column behind, after it has.
#include <sys/resource.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "pappus/pappus.h"

namespace {

struct quote {
  float spot, strike, years;
};
struct trip {
  double from_latitude, from_longitude, to_latitude, to_longitude;
};
struct row {
  int key;
  double value;
};
struct item {
  long key, pay;
};
struct sample {
  int id;
  double value;
  float weight;
};
using place = std::array<float, 16>;

float normal(float d) { return 0.5f * std::erfc(d * -0.70710678f); }

double cpu_seconds() {
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  return static_cast<double>(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
         1e-6 * static_cast<double>(used.ru_utime.tv_usec + used.ru_stime.tv_usec);
}

/// "at least 5.1 ms" of the line that begins with "predicted: ".
std::string predicted(const std::string& explained) {
  const auto begin = explained.rfind("\npredicted: ") + 12;
  return explained.substr(begin, explained.find(',', begin) - begin);
}

double seconds_of(const std::string& text) {
  const auto number = text.find_first_of("0123456789");
  std::size_t used = 0;
  const double value = std::stod(text.substr(number), &used);
  const auto unit = text.substr(number + used + 1);
  return value * (unit == "us" ? 1e-6 : unit == "ms" ? 1e-3 : unit == "s" ? 1 : 60);
}

/// \param make  makes the query anew.
template <typename Make, typename Run>
void compare(pappus::session& s, const char* name, Make make, Run run) {
  const auto first = predicted(make().explain());
  double least = 1e9;
  constexpr int runs = 3;
  for (int i = 0; i < runs; ++i) {
    const auto begin = cpu_seconds();
    run(make());
    least = std::min(least, (cpu_seconds() - begin) / s.threads());
  }
  const auto then = predicted(make().explain());
  std::printf("| %s | %s | %.3g ms | %.2f | %s | %.2f |\n", name, first.c_str(), least * 1e3,
              seconds_of(first) / least, then.c_str(), seconds_of(then) / least);
  std::fflush(stdout);
}

const auto value = [](const auto& query) { query.get(); };
const auto rows = [](const auto& query) { query.collect(); };

void numbers(pappus::session& s) {
  constexpr int n = 10'000'000;
  std::mt19937 random(1);
  std::vector<int> ints(n);
  for (auto& x : ints) x = static_cast<int>(random());
  const auto all = s.borrow(ints);
  compare(s, "sum", [&] { return all.sum(); }, value);
  const auto fifteenth = [](int x) { return x % 15 == 0; };
  compare(
      s, "map·filter·sum",
      [&] { return all.map([](int x) { return x + 15; }).filter(fifteenth).sum(); }, value);
  compare(s, "scan", [&] { return all.inclusive_scan([](int a, int b) { return a + b; }); }, rows);
  compare(s, "sort", [&] { return all.sort(); }, rows);
  compare(s, "top 100", [&] { return all.top(100, [](int x) { return x; }); }, rows);
  compare(
      s, "collatz",
      [&] {
        return s.range(1, 200'000)
            .map([](int x) {
              int steps = 0;
              for (long at = x; at != 1; ++steps) at = at % 2 == 0 ? at / 2 : 3 * at + 1;
              return steps;
            })
            .max();
      },
      value);
}

void maths(pappus::session& s) {
  constexpr std::size_t n = 2'000'000;
  const std::vector<quote> quotes(n, quote{30, 35, 2});
  compare(
      s, "Black-Scholes",
      [&] {
        return s.borrow(quotes).map([](const quote& q) {
          const float spread = 0.3f * std::sqrt(q.years);
          const float d = (std::log(q.spot / q.strike) + 0.065f * q.years) / spread;
          return q.spot * normal(d) - q.strike * std::exp(-0.02f * q.years) * normal(d - spread);
        });
      },
      rows);
  const std::vector<trip> trips(n, trip{52, 13, 48, 2});
  compare(
      s, "haversine",
      [&] {
        return s.borrow(trips)
            .map([](const trip& t) {
              const double up = std::sin((t.to_latitude - t.from_latitude) * 0.00872);
              const double along = std::sin((t.to_longitude - t.from_longitude) * 0.00872);
              const double h = up * up + std::cos(t.from_latitude * 0.01745) *
                                             std::cos(t.to_latitude * 0.01745) * along * along;
              return 12742 * std::asin(std::sqrt(h < 1 ? h : 1));
            })
            .sum();
      },
      value);
  std::vector<place> places(5000);
  for (std::size_t i = 0; i < places.size(); ++i) places[i].fill(static_cast<float>(i % 97));
  const auto known = s.from(places);
  compare(
      s, "nearest of 5,000 places",
      [&] {
        return s.borrow(places).map(
            [](const place& p, std::span<const place> all) {
              float least = 1e30f;
              for (const auto& other : all) {
                float sum = 0;
                for (std::size_t j = 0; j < p.size(); ++j)
                  sum += (p[j] - other[j]) * (p[j] - other[j]);
                least = sum < least ? sum : least;
              }
              return least;
            },
            known.shared());
      },
      rows);
}

void groups(pappus::session& s) {
  constexpr std::size_t n = 5'000'000;
  for (const int keys : {100, 1'000'000}) {
    std::vector<row> made(n);
    for (std::size_t i = 0; i < n; ++i)
      made[i] = {static_cast<int>(i * 2654435761u % static_cast<unsigned>(keys)), 1.5};
    const auto all = s.borrow(made);
    const auto name = "group_by.sum into " + std::to_string(keys);
    compare(s, name.c_str(), [&] { return all.group_by(&row::key).sum(&row::value); }, rows);
    compare(
        s, (name + ", a domain").c_str(),
        [&] { return all.group_by(&row::key, pappus::domain{keys}).sum(&row::value); }, rows);
  }
  std::vector<item> left(n), right(n / 10);
  for (std::size_t i = 0; i < n; ++i) left[i] = {static_cast<long>(i * 2654435761u % (n / 8)), 1};
  for (std::size_t i = 0; i < right.size(); ++i) right[i] = {static_cast<long>(i), 2};
  compare(
      s, "join·sum",
      [&] {
        return s.borrow(left)
            .join(s.borrow(right), &item::key, &item::key,
                  [](const item& a, const item& b) { return a.pay + b.pay; })
            .sum();
      },
      value);
}

void files(pappus::session& s, const std::string& path) {
  {
    std::ofstream file(path);
    file << "id,value,weight\n";
    for (int i = 0; i < 1'000'000; ++i) file << i << ",0." << i % 9973 << "5,1.25\n";
  }
  using pappus::column;
  const auto read = [&] {
    return s.csv<sample>(path, column("id", &sample::id), column("value", &sample::value),
                         column("weight", &sample::weight));
  };
  compare(s, "CSV, mean of a column", [&] { return read().map(&sample::value).mean(); }, value);
  std::remove(path.c_str());
}

}  // namespace

int main(int argc, char** argv) {
  pappus::session s{argc, argv};
  std::printf("| query | predicted | measured | ratio | predicted again | ratio |\n");
  std::printf("|---|---|---|---|---|---|\n");
  numbers(s);
  maths(s);
  groups(s);
  files(s, argc > 1 ? argv[1] : "predictions.csv");
}

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
#include <ranges>
#include <string>
#include <string_view>
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
struct near {
  std::array<float, 4> at;
  int cluster;
};
struct centre {
  std::array<float, 4> at;
};
struct link {
  int from, to;
};
struct rank {
  int page;
  double value;
};
struct hit {
  std::int64_t document;
  float score;
};

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

/// The mean of a cluster's points.
struct mean_point {
  std::array<double, 4> sum{};
  std::int64_t count = 0;
  void accumulate(const near& p) {
    for (std::size_t d = 0; d < sum.size(); ++d) sum[d] += p.at[d];
    ++count;
  }
  void merge(const mean_point& other) {
    for (std::size_t d = 0; d < sum.size(); ++d) sum[d] += other.sum[d];
    count += other.count;
  }
};

const auto ten = pappus::max_iterations{10};
const auto always = [](const auto&, const auto&) { return true; };

void clusters(pappus::session& s) {
  std::mt19937 random(2);
  std::normal_distribution<float> coordinate(0, 10);
  std::vector<centre> points(1'000'000);
  for (auto& p : points)
    for (auto& x : p.at) x = coordinate(random);
  const auto all = s.borrow(points);
  const auto nearest = [](const centre& p, std::span<const centre> centres) {
    near found{p.at, 0};
    float least = 1e30f;
    for (std::size_t c = 0; c < centres.size(); ++c) {
      float sum = 0;
      for (std::size_t d = 0; d < p.at.size(); ++d)
        sum += (p.at[d] - centres[c].at[d]) * (p.at[d] - centres[c].at[d]);
      if (sum < least) least = sum, found.cluster = static_cast<int>(c);
    }
    return found;
  };
  const auto step = [&](const pappus::collection<centre>& centres) {
    return all.map(nearest, centres.shared())
        .group_by(&near::cluster, pappus::domain{10})
        .reduce<mean_point>()
        .map([](const pappus::keyed<int, mean_point>& group) {
          centre next{};
          for (std::size_t d = 0; d < next.at.size(); ++d)
            next.at[d] =
                static_cast<float>(group.value.sum[d] / static_cast<double>(group.value.count + 1));
          return next;
        });
  };
  const pappus::collection<centre> first = all.take(10);
  compare(s, "k-means, 10 rounds", [&] { return s.do_while(first, step, always, ten); }, rows);
}

void pages(pappus::session& s) {
  constexpr int n = 200'000;
  std::mt19937 random(3);
  std::vector<link> made(10 * n);
  for (auto& l : made) l = {static_cast<int>(random() % n), static_cast<int>(random() % n)};
  const auto links = s.borrow(made);
  const pappus::domain all{n};
  const pappus::collection<rank> first = s.range(0, n).map([](int page) { return rank{page, 1}; });
  const auto step = [&](const pappus::collection<rank>& ranks) {
    return links
        .join(
            ranks, &link::from, &rank::page,
            [](const link& l, const rank& r) { return rank{l.to, r.value / 10}; }, all)
        .group_by(&rank::page, all)
        .sum(&rank::value)
        .map([](const pappus::keyed<int, double>& page) {
          return rank{page.key, 0.15 + 0.85 * page.value};
        });
  };
  compare(s, "PageRank, 10 rounds", [&] { return s.do_while(first, step, always, ten); }, rows);
}

int times(std::string_view text, std::string_view word) {
  int found = 0;
  for (auto at = text.find(word); at != text.npos; at = text.find(word, at + 1)) ++found;
  return found;
}

void texts(pappus::session& s) {
  std::mt19937 random(4);
  std::vector<std::string> lines(100'000);
  for (auto& line : lines)
    for (int i = 0; i < 12; ++i) line += "w" + std::to_string(random() % 4096 & random()) + ' ';
  const std::vector<std::string_view> views(lines.begin(), lines.end());
  const auto all = s.borrow(views);
  compare(
      s, "word count",
      [&] {
        return all.flat_map([](std::string_view line) { return line | std::views::split(' '); })
            .map([](auto word) { return std::string_view(word.begin(), word.end()); })
            .group_by([](std::string_view word) { return word; })
            .count();
      },
      rows);
  compare(
      s, "search",
      [&] {
        return all.enumerate()
            .map([](const pappus::indexed<std::string_view>& row) {
              const int a = times(row.value, "w17 "), b = times(row.value, "w4 ");
              const auto length = static_cast<float>(row.value.size());
              return hit{row.index, static_cast<float>(3 * a + 2 * b) / (100 + length)};
            })
            .top(10, &hit::score);
      },
      rows);
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
  clusters(s);
  pages(s);
  texts(s);
  files(s, argc > 1 ? argv[1] : "predictions.csv");
}

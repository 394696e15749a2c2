// How late flights are: by carrier, by route, and on which day most.
//
//   flights FLIGHTS.csv
//
// The file has the columns day, carrier, from, to, delay (minutes) and miles. Shows several
// aggregates in one pass, keys of several fields, and tables.
#include <cstdint>
#include <iostream>
#include <string_view>

#include <pappus/pappus.h>

struct flight {
  std::string_view carrier, from, to;
  pappus::date day;
  int delay;
  double miles;
};
struct summary {
  double delay;
  int longest;
  double miles;
  std::int64_t flown;
};
struct route {
  std::string_view from, to;
  double delay;
  std::int64_t flown;
};

int main(int argc, char** argv) {
  pappus::session s{argc, argv};
  if (argc != 2) return std::cerr << "usage: flights FLIGHTS.csv\n", 2;
  using pappus::argmax, pappus::count, pappus::max, pappus::mean, pappus::sum;
  auto flights = s.csv<flight>(argv[1]);

  flights.group_by(&flight::carrier)
      .aggregate<summary>(mean(&flight::delay), max(&flight::delay), sum(&flight::miles), count())
      .show();

  flights.group_by(&flight::from, &flight::to)
      .aggregate(mean(&flight::delay), count())
      .map([](const auto& group) {
        const auto& [from, to] = group.key;
        const auto& [delay, flown] = group.value;
        return route{from, to, delay, flown};
      })
      .top(3, &route::delay)
      .show();

  auto [latest] = flights.aggregate(argmax(&flight::delay, &flight::day)).get();
  std::cout << latest.value << " minutes late on " << latest.arg << "\n";
}

// What a share cost at first, at most, at least and at last, day by day.
//
//   daily_bars TRADES.csv        examples/data/trades.csv
//
// Shows several aggregates that become a struct, groups by text and a day.
#include <iostream>
#include <string_view>

#include <pappus/pappus.h>

using namespace pappus;

struct trade {
  timestamp at;
  std::string_view share;
  double price;
  int pieces;
};
struct bar {
  double open, high, low, close;
  std::int64_t pieces;
};

int main(int argc, char** argv) {
  session s{argc, argv};
  if (argc != 2) return std::cerr << "usage: daily_bars TRADES.csv\n", 2;
  const auto trades = s.csv<trade>(argv[1]);

  // SELECT share, "at"::DATE, first(price ORDER BY "at"), max(price), min(price),
  //   last(price ORDER BY "at"), sum(pieces) GROUP BY ALL ORDER BY ALL
  trades.sort_by(&trade::at)
      .group_by(&trade::share, [](const trade& t) { return t.at.date(); })
      .aggregate<bar>(first(&trade::price), max(&trade::price), min(&trade::price),
                      last(&trade::price), sum(&trade::pieces))
      .show();
}

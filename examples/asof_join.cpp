// What shares were worth when they were traded: each trade with the quote as of its time.
//
//   asof_join TRADES.csv QUOTES.csv        examples/data/trades.csv examples/data/quotes.csv
//
// Shows asof_join, whose sides need no order.
#include <chrono>
#include <iostream>
#include <optional>
#include <string_view>

#include <pappus/pappus.h>

using namespace pappus;

struct trade {
  timestamp at;
  std::string_view share;
  double price;
};
struct quote {
  timestamp at;
  std::string_view share;
  double bid, ask;
};
struct priced {
  timestamp at;
  std::string_view share;
  double price;
  std::optional<double> bid, ask;
};

int main(int argc, char** argv) {
  session s{argc, argv};
  if (argc != 3) return std::cerr << "usage: asof_join TRADES.csv QUOTES.csv\n", 2;
  const auto trades = s.csv<trade>(argv[1]);
  const auto quotes = s.csv<quote>(argv[2]);

  // SELECT "at", share, price, bid, ask FROM trades ASOF LEFT JOIN quotes USING (share, "at")
  trades
      .asof_join(quotes, &trade::share, &quote::share, &trade::at, &quote::at,
                 [](const trade& t, const quote* q) {
                   return q ? priced{t.at, t.share, t.price, q->bid, q->ask}
                            : priced{t.at, t.share, t.price, {}, {}};
                 })
      .show(10);
}

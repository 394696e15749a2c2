// What European options are worth, by the formula of Black and Scholes (1973).
//
//   blackscholes [OPTIONS]
//
// One pass prices all options, adds up what they come to and looks for the largest difference from
// put-call parity, which holds for any prices. Shows map, aggregate, and functions of <cmath>.
#include <cmath>
#include <cstdlib>
#include <iomanip>
#include <iostream>

#include <pappus/pappus.h>

using namespace pappus;

struct option {
  double spot, strike, years, call, put;
};

constexpr double rate = 0.02, volatility = 0.3;

/// The normal distribution.
double normal(double d) { return std::erfc(-d / std::sqrt(2.0)) / 2; }

option priced(long i) {
  const double spot = 50.0 + i * 37 % 101, strike = 50.0 + i * 53 % 97,
               years = 0.25 + i * 29 % 40 / 10.0;
  const double spread = volatility * std::sqrt(years);
  const double d1 =
      (std::log(spot / strike) + (rate + volatility * volatility / 2) * years) / spread;
  const double d2 = d1 - spread, paid = strike * std::exp(-rate * years);
  return {spot, strike, years, spot * normal(d1) - paid * normal(d2),
          paid * normal(-d2) - spot * normal(-d1)};
}

int main(int argc, char** argv) {
  session s{argc, argv};
  const auto options = s.range(0L, argc > 1 ? std::atol(argv[1]) : 100'000).map(fn<priced>);
  options.show(3);

  // SELECT sum(call), max(abs(call - put - spot + strike * exp(-0.02 * years)))
  const auto [calls, apart] =
      options
          .aggregate(
              sum(&option::call), max([](const option& o) {
                return std::abs(o.call - o.put - o.spot + o.strike * std::exp(-rate * o.years));
              }))
          .get();
  std::cout << "all calls " << std::fixed << std::setprecision(2) << calls << "\n"
            << (apart < 1e-9 ? "calls and puts agree" : "calls and puts differ") << "\n";
}

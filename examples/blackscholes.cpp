// What European options are worth, by the formula of Black and Scholes (1973).
//
//   blackscholes [OPTIONS]
//
// One launch prices all options, a second one adds up what they come to and looks for the largest
// difference from put-call parity, which holds for any prices. Shows for_each over structs, reads,
// writes, and two reductions in a launch.
#include <cmath>
#include <cstdlib>
#include <iomanip>
#include <iostream>
#include <vector>

#include <pappus/pappus.h>

using pappus::idx;
using pappus::largest;
using pappus::reads;
using pappus::reduces;
using pappus::writes;

struct option {
  double spot, strike, years;
};
struct prices {
  double call, put;
};

constexpr double rate = 0.02, volatility = 0.3;

/// The normal distribution.
double normal(double d) { return std::erfc(-d / std::sqrt(2.0)) / 2; }

prices price(const option& o) {
  const double spread = volatility * std::sqrt(o.years);
  const double drift = (rate + volatility * volatility / 2) * o.years;
  const double d1 = (std::log(o.spot / o.strike) + drift) / spread, d2 = d1 - spread;
  const double paid = o.strike * std::exp(-rate * o.years);
  return {o.spot * normal(d1) - paid * normal(d2), paid * normal(-d2) - o.spot * normal(-d1)};
}

int main(int argc, char** argv) {
  pappus::session s{argc, argv};
  const long n = argc > 1 ? std::atol(argv[1]) : 100'000;

  auto options = s.unwritten<option>({n});
  auto worth = s.unwritten<prices>({n});
  auto calls = s.zeros<double>({1}), apart = s.zeros<double>({1});
  s.for_each(
      n,
      [](idx<1> i, writes<option> options) {
        options[i] = {50.0 + static_cast<double>(i * 37 % 101),
                      50.0 + static_cast<double>(i * 53 % 97),
                      0.25 + static_cast<double>(i * 29 % 40) / 10};
      },
      options);
  s.for_each(
      n,
      [](idx<1> i, reads<option> options, writes<prices> worth) { worth[i] = price(options[i]); },
      options, worth);
  s.for_each(
      n,
      [](idx<1> i, reads<option> options, reads<prices> worth, reduces<double> calls,
         reduces<largest<double>> apart) {
        const auto [spot, strike, years] = options[i];
        const auto [call, put] = worth[i];
        calls[0] += call;
        apart[0].accumulate(std::abs(call - put - spot + strike * std::exp(-rate * years)));
      },
      options, worth, calls, apart);

  const auto all = options.host();
  const auto found = worth.host();
  std::cout << std::fixed << std::setprecision(4);
  for (const long i : {0L, 1L, 10L, 100L}) {
    const auto [spot, strike, years] = all[i];
    std::cout << "to buy at " << strike << " what is " << spot << " in " << years
              << " years: " << found[i].call << ", to sell " << found[i].put << "\n";
  }
  std::cout << "all calls " << std::setprecision(2) << calls.host()[0] << "\n"
            << (apart.host()[0] < 1e-9 ? "calls and puts agree" : "calls and puts differ") << "\n";
}

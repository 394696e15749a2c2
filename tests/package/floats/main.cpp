// Functions of <cmath> in a query, against the C++ ones: 0 if they are close.
#include <cmath>
#include <cstddef>
#include <iostream>
#include <limits>
#include <vector>

#include <pappus/pappus.h>

int main(int argc, char** argv) {
  std::vector<double> rows;
  for (int i = 0; i < 10'000; ++i) rows.push_back(i * 0.01);
  rows.push_back(std::numeric_limits<double>::infinity());
  rows.push_back(std::numeric_limits<double>::quiet_NaN());
  pappus::session s{argc, argv};
  const auto got =
      s.borrow(rows).map([](double x) { return std::exp(-x) + std::erfc(x) * x; }).collect();
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const double x = rows[i], expected = std::exp(-x) + std::erfc(x) * x;
    const bool close =
        std::isnan(expected) ? std::isnan(got[i]) : std::abs(got[i] - expected) <= 1e-14 * expected;
    if (close) continue;
    std::cout << "of " << x << ": expected " << expected << ", got " << got[i] << "\n";
    return 1;
  }
  return 0;
}

// A moving average: the warmest week of a year.
//
//   moving_average
//
// The sum of days i to i + 6 is the running sum after day i + 6 less the one before day i, whatever
// the length of the window. Shows scans, skip and zip, top.
#include <cmath>
#include <functional>
#include <iomanip>
#include <iostream>

#include <pappus/pappus.h>

struct week {
  int first_day;
  double average;
};

int main(int argc, char** argv) {
  pappus::session s{argc, argv};
  const int days = 7;
  auto tenths = s.range(0, 365).map([](int day) {  // of a degree, made up: warm around day 200
    return 250 - std::abs(day - 200) + day * 37 % 61;
  });

  auto through = tenths.inclusive_scan();                  // days 0 to i
  auto before = tenths.exclusive_scan(0L, std::plus<>{});  // days 0 to i - 1
  auto weeks = through.skip(days - 1).zip(before).enumerate().map([](const auto& row) {
    const auto [last, first] = row.value;
    return week{static_cast<int>(row.index), static_cast<double>(last - first) / (10.0 * days)};
  });

  std::cout << weeks.count() << " weeks, the warmest begin on days\n"
            << std::fixed << std::setprecision(2);
  for (const week& w : weeks.top(3, &week::average).collect())
    std::cout << w.first_day << ": " << w.average << "\n";
}

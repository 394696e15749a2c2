// A moving average: the warmest week of a year.
//
//   moving_average
//
// Shows rolling, which yields one result a row, and enumerate.
#include <cstdlib>

#include <pappus/pappus.h>

struct week {
  std::int64_t last_day;
  double average;
};

int main(int argc, char** argv) {
  pappus::session s{argc, argv};
  const auto degrees = s.range(0, 365).map([](int day) {  // made up: warm around day 200
    return (250 - std::abs(day - 200) + day * 37 % 61) / 10.0;
  });

  // SELECT day, avg(degrees) OVER (ORDER BY day ROWS 6 PRECEDING) AS average FROM days
  // QUALIFY day >= 6 ORDER BY average DESC, day LIMIT 3
  degrees.rolling(7, pappus::mean())
      .enumerate()
      .map([](const auto& day) { return week{day.index, day.value}; })
      .skip(6)
      .top(3, &week::average)
      .show();
}

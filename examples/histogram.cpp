// A histogram: how often do eight dice show 8, 9, ..., 48?
//
//   histogram
//
// Counts all 6^8 throws. Shows histogram, and results in a loop of one's own.
#include <iomanip>
#include <iostream>
#include <string>

#include <pappus/pappus.h>

int points_of(int throw_number) {
  int points = 0;
  for (int die = 0; die < 8; ++die, throw_number /= 6) points += 1 + throw_number % 6;
  return points;
}

int main(int argc, char** argv) {
  pappus::session s{argc, argv};
  const int throws = 6 * 6 * 6 * 6 * 6 * 6 * 6 * 6;

  // numpy.histogram(points, 41, (8, 49))
  const auto bins = s.range(0, throws).map(pappus::fn<points_of>).histogram(41, 8, 49);

  for (const auto& [points, end, times] : bins.collect())
    std::cout << std::setw(2) << points << std::setw(8) << times << " "
              << std::string(static_cast<std::size_t>(times / 2500), '*') << "\n";
}

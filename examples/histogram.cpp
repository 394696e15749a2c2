// A histogram: how often do eight dice show 8, 9, ..., 48?
//
//   histogram
//
// Counts all 6^8 throws. Shows group_by with keys of a known domain: its table is indexed by key,
// and keys that never occur (0 to 7) are there, too.
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
  auto bins = s.range(0, throws).group_by(pappus::fn<points_of>, pappus::domain{49}).count();

  for (const auto& [points, times] : bins.skip(8).collect())
    std::cout << std::setw(2) << points << std::setw(8) << times << " "
              << std::string(static_cast<std::size_t>(times / 2500), '*') << "\n";
}

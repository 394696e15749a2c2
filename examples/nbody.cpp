// Planets around a sun: every body is pulled by all others.
//
//   nbody [ROUNDS]
//
// A launch works out how fast bodies get, for each of them over all others; a second one moves
// them. Neither is waited for: that the second comes after the first follows from the arrays they
// touch. Shows several arrays in a launch, updates, what a body sees of all others.
#include <cmath>
#include <cstdlib>
#include <iomanip>
#include <iostream>
#include <vector>

#include <pappus/pappus.h>

using pappus::idx;
using pappus::reads;
using pappus::updates;

struct vec {
  double x, y;
};

int main(int argc, char** argv) {
  pappus::session s{argc, argv};
  const int rounds = argc > 1 ? std::atoi(argv[1]) : 1000;
  const long planets = 63, n = planets + 1;

  // The sun, and planets on circles: twice as far, they take 2.8 times as long.
  std::vector<vec> places{{0, 0}}, speeds{{0, 0}};
  std::vector<double> masses{1};
  for (long i = 1; i <= planets; ++i) {
    const double distance = 1 + 0.1 * static_cast<double>(i), angle = static_cast<double>(i);
    const double speed = 1 / std::sqrt(distance);
    places.push_back({distance * std::cos(angle), distance * std::sin(angle)});
    speeds.push_back({-speed * std::sin(angle), speed * std::cos(angle)});
    masses.push_back(1e-6);
  }
  auto place = s.to_array(places), velocity = s.to_array(speeds);
  auto mass = s.to_array(masses);

  const double time = 0.001;
  for (int round = 0; round < rounds; ++round) {
    s.for_each(
        n,
        [time](idx<1> i, reads<vec> place, reads<double> mass, updates<vec> velocity) {
          vec pull{0, 0};
          for (long j = 0; j < n; ++j) {
            const double dx = place[j].x - place[i].x, dy = place[j].y - place[i].y;
            const double near = dx * dx + dy * dy + 1e-9;  // itself isn't infinitely near
            const double strength = mass[j] / (near * std::sqrt(near));
            pull.x += strength * dx;
            pull.y += strength * dy;
          }
          velocity[i].x += time * pull.x;
          velocity[i].y += time * pull.y;
        },
        place, mass, velocity);
    s.for_each(
        n,
        [time](idx<1> i, reads<vec> velocity, updates<vec> place) {
          place[i].x += time * velocity[i].x;
          place[i].y += time * velocity[i].y;
        },
        velocity, place);
  }

  const auto last = place.host();
  std::cout << std::fixed << std::setprecision(4);
  for (const long i : {0L, 1L, 10L, 63L}) {
    const auto [x, y] = last[i];
    std::cout << "body " << i << " at " << x << " " << y << ", " << std::sqrt(x * x + y * y)
              << " from the middle\n";
  }
}

// How far it is on the earth: the haversine formula, for many pairs of places.
//
//   haversine [PAIRS]
//
// Shows a formula as a function, and statistics of what it yields.
#include <cmath>
#include <cstdlib>
#include <numbers>

#include <pappus/pappus.h>

struct trip {
  double from_latitude, from_longitude, to_latitude, to_longitude;  // degrees
};

double kilometres(const trip& t) {
  const auto radians = [](double degrees) { return degrees * std::numbers::pi / 180; };
  const double up = std::sin(radians(t.to_latitude - t.from_latitude) / 2);
  const double along = std::sin(radians(t.to_longitude - t.from_longitude) / 2);
  const double both = std::cos(radians(t.from_latitude)) * std::cos(radians(t.to_latitude));
  return 2 * 6371 * std::asin(std::sqrt(up * up + both * along * along));
}

int main(int argc, char** argv) {
  pappus::session s{argc, argv};
  const auto trips = s.range(0L, argc > 1 ? std::atol(argv[1]) : 100'000).map([](long i) {
    return trip{i * 37 % 1601 / 10.0 - 80, i * 53 % 3593 / 10.0 - 180,  // made up
                i * 29 % 1597 / 10.0 - 80, i * 31 % 3583 / 10.0 - 180};
  });

  // SELECT count(km), avg(km), stddev(km), min(km), quantile_cont(km, [0.25, 0.5, 0.75]), max(km)
  // FROM (SELECT 2 * 6371 * asin(sqrt(
  //   sin(radians(to_latitude - from_latitude) / 2) ** 2 + cos(radians(from_latitude)) *
  //   cos(radians(to_latitude)) * sin(radians(to_longitude - from_longitude) / 2) ** 2)) AS km)
  trips.map(pappus::fn<kilometres>).describe().show();
}

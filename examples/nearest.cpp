// The nearest neighbours: which stations are the closest to each house?
//
//   nearest [HOUSES]
//
// Shows cross_join, and the best records of groups.
#include <cmath>
#include <cstdlib>

#include <pappus/pappus.h>

struct place {
  int id;
  double x, y;
};
struct way {
  int house, station;
  double distance;
};

place made_up(int i) { return {i, i * 37 % 101 / 10.0, i * 53 % 97 / 10.0}; }

way between(const place& house, const place& station) {
  return {house.id, station.id, std::hypot(house.x - station.x, house.y - station.y)};
}

int main(int argc, char** argv) {
  pappus::session s{argc, argv};
  const auto houses = s.range(0, argc > 1 ? std::atoi(argv[1]) : 10'000).map(pappus::fn<made_up>);
  const auto stations = s.range(0, 300).map([](int i) { return made_up(i * 31 + 7); });

  // SELECT houses.id AS house, stations.id AS station, hypot(...) AS distance FROM houses, stations
  // QUALIFY row_number() OVER (PARTITION BY house ORDER BY distance) <= 3 ORDER BY house, distance
  houses.cross_join(stations, pappus::fn<between>)
      .group_by(&way::house)
      .bottom(3, &way::distance)
      .show(6);
}

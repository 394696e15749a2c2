// What tools/compile_time.sh compiles: an analysis of flights in fifteen queries, as a user would
// write it.
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <string_view>

#include <pappus/pappus.h>

struct flight {
  pappus::date day;
  std::string_view carrier, origin, destination, tail;
  std::int32_t number, distance;
  double delay;
};
struct airport {
  std::string_view code, name;
};
struct leg {
  std::string_view origin, destination_name;
  double delay;
};
struct route {
  std::array<char, 3> origin, destination;
};
struct delays {
  std::string_view carrier;
  double delay;
};

route route_of(const flight& f) {
  route r{};
  for (std::size_t i = 0; i < 3; ++i) {
    r.origin[i] = i < f.origin.size() ? f.origin[i] : ' ';
    r.destination[i] = i < f.destination.size() ? f.destination[i] : ' ';
  }
  return r;
}

int main(int argc, char** argv) {
  pappus::session s{argc, argv};
  using pappus::column;
  const auto flights =
      s.csv<flight>("flights.csv", column("day", &flight::day), column("carrier", &flight::carrier),
                    column("origin", &flight::origin), column("dest", &flight::destination),
                    column("tail", &flight::tail), column("number", &flight::number),
                    column("distance", &flight::distance), column("delay", &flight::delay));
  const auto airports = s.csv<airport>("airports.csv", column("code", &airport::code),
                                       column("name", &airport::name));
  const auto known = flights.filter([](const flight& f) { return !std::isnan(f.delay); });

  const std::int64_t rows = flights.count();
  const double longest = flights.map([](const flight& f) { return f.delay; })
                             .filter([](double x) { return !std::isnan(x); })
                             .max();
  const std::int64_t missing =
      flights.filter([](const flight& f) { return std::isnan(f.delay); }).count();
  const double mean = known.map([](const flight& f) { return f.delay; }).mean();
  std::printf("%lld rows, %lld without a delay, mean %.1f, longest %.1f\n",
              static_cast<long long>(rows), static_cast<long long>(missing), mean, longest);

  for (const auto& [carrier, delay] :
       known.group_by(&flight::carrier).mean(&flight::delay).collect())
    std::printf("%.*s %.1f\n", static_cast<int>(carrier.size()), carrier.data(), delay);
  for (const auto& [origin, flown] : flights.group_by(&flight::origin)
                                         .count()
                                         .top(10, [](const auto& g) { return g.value; })
                                         .collect())
    std::printf("%.*s %lld\n", static_cast<int>(origin.size()), origin.data(),
                static_cast<long long>(flown));
  for (const auto& [month, flown] :
       flights.group_by([](const flight& f) { return f.day.days / 30; }).count().collect())
    std::printf("%d %lld\n", static_cast<int>(month), static_cast<long long>(flown));
  for (const auto& [where, flown] :
       flights.group_by(route_of).count().top(10, [](const auto& g) { return g.value; }).collect())
    std::printf("%.3s %.3s %lld\n", where.origin.data(), where.destination.data(),
                static_cast<long long>(flown));

  const auto legs =
      known.join(airports, &flight::destination, &airport::code,
                 [](const flight& f, const airport& a) { return leg{f.origin, a.name, f.delay}; });
  for (const auto& [name, delay] :
       legs.group_by(&leg::destination_name).mean(&leg::delay).take(20).collect())
    std::printf("%.*s %.1f\n", static_cast<int>(name.size()), name.data(), delay);
  const std::int64_t nowhere = flights.anti_join(airports, &flight::origin, &airport::code).count();
  std::printf("%lld from nowhere\n", static_cast<long long>(nowhere));

  const std::int64_t aircraft =
      flights.map([](const flight& f) { return f.tail; }).distinct().count();
  std::printf("%lld aircraft\n", static_cast<long long>(aircraft));
  for (const auto& f : known.sort_by(&flight::delay).take(5).collect())
    std::printf("%.1f early\n", -f.delay);
  for (const auto& f : flights.top(10, &flight::distance).collect())
    std::printf("%d miles\n", f.distance);
  const bool far = flights.any([](const flight& f) { return f.distance > 8000; });
  const double late = known.filter([](const flight& f) { return f.delay > 15; })
                          .map([](const flight& f) { return f.delay * f.distance; })
                          .sum();
  std::printf("%s, %g\n", far ? "far" : "near", late);
  known.map([](const flight& f) { return delays{f.carrier, f.delay}; })
      .write("delays.csv", column("carrier", &delays::carrier), column("delay", &delays::delay));
}

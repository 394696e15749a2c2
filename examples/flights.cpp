// Ten questions about flights: how late, where to, with which planes.
//
//   flights FLIGHTS.csv AIRLINES.csv        examples/data/flights.csv examples/data/airlines.csv
//
// Shows groups by one and several keys, aggregates, quantiles, joins, dates, values that may be
// missing, and tables. Above each query stands what SQL says.
#include <array>
#include <cstdint>
#include <iostream>
#include <optional>
#include <string_view>

#include <pappus/pappus.h>

using namespace pappus;

struct flight {
  date day;
  std::string_view carrier, from, to;
  std::optional<int> delay;  // minutes; of a flight that never took off none
  double miles;
  std::optional<std::string_view> tail;
};
struct airline {
  std::string_view code, name;
};
struct summary {
  double mean_delay;
  std::optional<int> longest;
  double miles;
  std::int64_t flown;
};

int main(int argc, char** argv) {
  session s{argc, argv};
  if (argc != 3) return std::cerr << "usage: flights FLIGHTS.csv AIRLINES.csv\n", 2;
  const auto flights = s.csv<flight>(argv[1]);
  const auto airlines = s.csv<airline>(argv[2]);
  const auto by_carrier = flights.group_by(&flight::carrier);

  // FROM flights LIMIT 3
  flights.show(3);

  // SELECT carrier, avg(delay), max(delay), sum(miles), count(*) GROUP BY carrier ORDER BY carrier
  by_carrier
      .aggregate<summary>(mean(&flight::delay), max(&flight::delay), sum(&flight::miles), count())
      .show();

  // SELECT carrier, quantile_cont(delay, [0.5, 0.95]) GROUP BY carrier ORDER BY carrier
  by_carrier.quantiles(std::array{0.5, 0.95}, &flight::delay).show();

  // SELECT carrier, count(DISTINCT tail) GROUP BY carrier ORDER BY carrier
  by_carrier.count_distinct(&flight::tail).show();

  // SELECT "to", count(*) GROUP BY "to" ORDER BY count(*) DESC, "to"
  flights.value_counts(&flight::to).show();

  // SELECT "from", "to", count(*) GROUP BY ALL ORDER BY count(*) DESC, "from", "to" LIMIT 3
  flights.value_counts(&flight::from, &flight::to).show(3);

  // SELECT date_trunc('month', day), count(*) GROUP BY 1 ORDER BY 1
  flights.group_by([](const flight& f) { return first_of_month(f.day); }).count().show();

  // SELECT isodow(day), count(*) FILTER (carrier = 'AB'), count(*) FILTER (carrier = 'KL'),
  //   count(*) FILTER (carrier = 'SK') GROUP BY 1 ORDER BY 1
  const auto of = [](std::string_view carrier) {
    return sum([carrier](const flight& f) { return f.carrier == carrier; });
  };
  flights.group_by([](const flight& f) { return f.day.weekday(); })
      .aggregate(of("AB"), of("KL"), of("SK"))
      .show();

  // SELECT coalesce(name, 'unknown'), count(*) FROM flights LEFT JOIN airlines ON carrier = code
  // GROUP BY 1 ORDER BY 1
  flights
      .left_join(airlines, &flight::carrier, &airline::code,
                 [](const flight&, const airline* a) { return a ? a->name : "unknown"; })
      .group_by([](std::string_view name) { return name; })
      .count()
      .show();

  // SELECT count(*), count(delay), count(tail), arg_max(day, delay)
  std::cout << flights.aggregate(count(), count(&flight::delay), count(&flight::tail),
                                 argmax(&flight::delay, &flight::day))
            << "\n";
}

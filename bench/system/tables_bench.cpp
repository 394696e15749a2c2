// What people ask of a table of flights: reading it, groups, quantiles, different values, joins.
//
// DuckDB and Polars are what it is to be compared with (--peers): there are no versions by hand.
// pappus: text is std::string_view. pappus, categories: it is pappus::category.
// Queries are over a table in memory, but those of a file. A checksum is the number of rows / a sum
// of the bits of keys and whole numbers / a sum of what isn't whole.
#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "system/checksum.h"
#include "system/suite.h"
#include "system/tables.h"

namespace pappus::bench {
namespace {

class summed_up {
 public:
  void add_row() { ++rows_; }
  void add(std::string_view text) { bits_ += bits_of_text(text); }
  void add(std::int64_t number) { bits_ += static_cast<std::uint64_t>(number); }
  void add(double number) { total_ += number; }
  std::string text() const { return fmt::format("{}/{}/{:.6e}", rows_, hex_digits(bits_), total_); }

 private:
  std::int64_t rows_ = 0;
  std::uint64_t bits_ = 0;
  double total_ = 0;
};

enum class form : std::uint8_t { csv, parquet, in_memory };

/// A file of flights, and the query of all of them.
template <typename Record>
class table {
 public:
  table(const stage& on, std::int64_t n, form of) {
    write_flights(file_, on.asked.seed, n);
    flights_.emplace(on.engine.csv<Record>(file_.path()));
    if (of == form::parquet) {
      flights_->write(parquet_.path());
      flights_.emplace(on.engine.parquet<Record>(parquet_.path()));
    } else if (of == form::in_memory) {
      flights_ = flights_->cache();
      flights_->count().get();
    }
  }
  const collection<Record>& flights() const { return *flights_; }

 private:
  scratch_file file_{".csv"}, parquet_{".parquet"};
  std::optional<collection<Record>> flights_;
};

/// A result's rows summed up.
template <typename Rows, typename Look>
std::string sum_of(const Rows& rows, Look look) {
  summed_up sum;
  for (const auto& row : rows) {
    sum.add_row();
    look(row, sum);
  }
  return sum.text();
}

/// \param run   collection -> result
/// \param look  (row of the result, summed_up&)
template <typename Run, typename Look>
std::vector<result> ask(const stage& on, const char* name, std::int64_t n, form where, Run run,
                        Look look) {
  const table<flight> of(on, n, where);
  decltype(run(of.flights())) last;
  return compare(
      on, name, n, 0,
      {{"pappus", [&] { last = run(of.flights()); }, [&] { return sum_of(last, look); }}});
}

/// The same of records of both kinds.
template <typename Run, typename Look>
std::vector<result> ask_both(const stage& on, const char* name, std::int64_t n, form where, Run run,
                             Look look) {
  const table<flight> of(on, n, where);
  const table<coded_flight> coded(on, n, where);
  decltype(run(of.flights())) last;
  decltype(run(coded.flights())) last_coded;
  return compare(on, name, n, 0,
                 {{"pappus", [&] { last = run(of.flights()); }, [&] { return sum_of(last, look); }},
                  {"pappus, categories", [&] { last_coded = run(coded.flights()); },
                   [&] { return sum_of(last_coded, look); }}});
}

template <typename Key>
void add_key(const Key& key, summed_up& to) {
  to.add(key);
}
void add_key(category key, summed_up& to) { to.add(key.text()); }
template <typename Text>
void add_key(const results<Text, Text>& key, summed_up& to) {
  add_key(get<0>(key), to);
  add_key(get<1>(key), to);
}
template <typename Text>
void add_key(const pair<int, Text>& key, summed_up& to) {
  to.add(std::int64_t{key.first});
  add_key(key.second, to);
}
void add_key(const date& day, summed_up& to) { to.add(std::int64_t{day.days}); }

constexpr auto look_at_group = [](const auto& group, summed_up& to) {
  add_key(group.key, to);
  to.add(group.value);
};

struct airline {
  std::string_view carrier, name;
};

constexpr auto look_at_flight = [](const flight& one, summed_up& to) {
  for (const auto text : {one.carrier, one.from, one.to, one.tail.value_or("")}) to.add(text);
  to.add(std::int64_t{one.day.days});
  to.add(std::int64_t{one.departure.value_or(1000)} + one.arrival.value_or(1000) + one.miles);
};

std::vector<result> read_from(const stage& on, const char* name, std::int64_t n, form where) {
  return ask(
      on, name, n, where, [](const auto& flights) { return flights.collect(); }, look_at_flight);
}
std::vector<result> mean_of(const stage& on, const char* name, std::int64_t n, form where) {
  return ask_both(
      on, name, n, where,
      []<typename Record>(const collection<Record>& flights) {
        return flights.group_by(&Record::carrier).mean(&Record::arrival).collect();
      },
      look_at_group);
}

}  // namespace

std::vector<result> run_tables_read(const stage& on, std::int64_t n) {
  return read_from(on, "tables_read", n, form::csv);
}
std::vector<result> run_tables_parquet_read(const stage& on, std::int64_t n) {
  return read_from(on, "tables_parquet_read", n, form::parquet);
}
std::vector<result> run_tables_stream(const stage& on, std::int64_t n) {
  return mean_of(on, "tables_stream", n, form::csv);
}
std::vector<result> run_tables_parquet(const stage& on, std::int64_t n) {
  return mean_of(on, "tables_parquet", n, form::parquet);
}
std::vector<result> run_tables_mean(const stage& on, std::int64_t n) {
  return mean_of(on, "tables_mean", n, form::in_memory);
}

std::vector<result> run_tables_aggregates(const stage& on, std::int64_t n) {
  return ask_both(
      on, "tables_aggregates", n, form::in_memory,
      []<typename Record>(const collection<Record>& flights) {
        return flights.group_by(&Record::carrier)
            .aggregate(count(), count(&Record::arrival), (max)(&Record::arrival),
                       mean(&Record::arrival), mean(&Record::departure), sum(&Record::miles))
            .collect();
      },
      [](const auto& group, summed_up& to) {
        const auto& [rows, known, longest, arrival, departure, miles] = group.value;
        add_key(group.key, to);
        to.add(rows + known + longest.value_or(0) + miles);
        to.add(arrival + departure);
      });
}

std::vector<result> run_tables_routes(const stage& on, std::int64_t n) {
  return ask_both(
      on, "tables_routes", n, form::in_memory,
      []<typename Record>(const collection<Record>& flights) {
        return flights.group_by(&Record::from, &Record::to).count().collect();
      },
      look_at_group);
}

std::vector<result> run_tables_top(const stage& on, std::int64_t n) {
  return ask_both(
      on, "tables_top", n, form::in_memory,
      []<typename Record>(const collection<Record>& flights) {
        return flights.group_by(&Record::from)
            .count()
            .top(10, [](const auto& airport) { return airport.value; })
            .collect();
      },
      [](const auto& airport, summed_up& to) { to.add(airport.value); });
}

std::vector<result> run_tables_first(const stage& on, std::int64_t n) {
  return ask_both(
      on, "tables_first", n, form::in_memory,
      []<typename Record>(const collection<Record>& flights) {
        return flights.sort_by(&Record::carrier, descending(&Record::arrival)).take(100).collect();
      },
      [](const auto& flight, summed_up& to) {
        add_key(flight.carrier, to);
        to.add(std::int64_t{flight.arrival.value_or(1000)});
      });
}

std::vector<result> run_tables_quantiles(const stage& on, std::int64_t n) {
  return ask_both(
      on, "tables_quantiles", n, form::in_memory,
      []<typename Record>(const collection<Record>& flights) {
        return flights.group_by(&Record::carrier)
            .quantiles(std::array{0.5, 0.95}, &Record::miles)
            .collect();
      },
      [](const auto& group, summed_up& to) {
        add_key(group.key, to);
        for (const double quantile : group.value) to.add(quantile);
      });
}

std::vector<result> run_tables_distinct(const stage& on, std::int64_t n) {
  return ask_both(
      on, "tables_distinct", n, form::in_memory,
      []<typename Record>(const collection<Record>& flights) {
        return flights.filter([](const Record& one) { return one.tail.has_value(); })
            .group_by(&Record::carrier)
            .count_distinct([](const Record& one) { return *one.tail; })
            .collect();
      },
      look_at_group);
}

std::vector<result> run_tables_join(const stage& on, std::int64_t n) {
  const std::vector<airline> airlines{{"AA", "American"}, {"AS", "Alaska"},   {"B6", "JetBlue"},
                                      {"DL", "Delta"},    {"F9", "Frontier"}, {"UA", "United"},
                                      {"WN", "Southwest"}};
  return ask(
      on, "tables_join", n, form::in_memory,
      [&](const auto& flights) {
        struct named {
          std::string_view name;
          std::int32_t miles;
        };
        return flights
            .left_join(on.engine.borrow(airlines), &flight::carrier, &airline::carrier,
                       [](const flight& one, const airline* of) {
                         return named{of != nullptr ? of->name : "another", one.miles};
                       })
            .group_by(&named::name)
            .sum(&named::miles)
            .collect();
      },
      look_at_group);
}

std::vector<result> run_tables_months(const stage& on, std::int64_t n) {
  return ask(
      on, "tables_months", n, form::in_memory,
      [](const auto& flights) {
        return flights.group_by([](const flight& one) { return first_of_month(one.day); })
            .mean(&flight::departure)
            .collect();
      },
      look_at_group);
}

std::vector<result> run_tables_pivot(const stage& on, std::int64_t n) {
  return ask_both(
      on, "tables_pivot", n, form::in_memory,
      []<typename Record>(const collection<Record>& flights) {
        return flights
            .group_by([](const Record& one) { return pair(one.day.weekday(), one.carrier); })
            .count()
            .collect();
      },
      look_at_group);
}

std::vector<result> run_tables_missing(const stage& on, std::int64_t n) {
  return ask(
      on, "tables_missing", n, form::in_memory,
      [](const auto& flights) {
        return std::array{flights
                              .aggregate(count(), count(&flight::tail), count(&flight::departure),
                                         count(&flight::arrival))
                              .get()};
      },
      [](const auto& row, summed_up& to) {
        const auto& [rows, tails, departures, arrivals] = row;
        to.add(3 * rows - tails - departures - arrivals);
      });
}

}  // namespace pappus::bench

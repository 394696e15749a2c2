// Columns of a file that a query doesn't look at aren't read: results are those of the same rows in
// memory, and cells of other columns may say anything.
#include <array>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "conformance/harness.h"
#include "support/spill_folder.h"

namespace pappus::file_columns {
namespace {

using ::testing::HasSubstr;

struct flight {
  std::string_view carrier, from, to;
  std::optional<std::int32_t> delay;
  std::int32_t miles;
  double price;
  date day;
  bool late;
};

const std::vector<std::string> names{"carrier", "from",  "to",  "delay",
                                     "miles",   "price", "day", "late"};

using cells = std::map<std::string, std::string>;

std::vector<cells> some_cells(std::int64_t n) {
  testing::random random(7);
  std::vector<cells> rows;
  for (std::int64_t i = 0; i < n; ++i)
    rows.push_back({{"carrier", std::string(1, static_cast<char>('A' + random.between(0, 4)))},
                    {"from", "F" + std::to_string(random.between(0, 2))},
                    {"to", "T" + std::to_string(random.between(0, 2))},
                    {"delay", i % 7 == 0 ? "" : std::to_string(random.between(-20, 90))},
                    {"miles", std::to_string(random.between(100, 3000))},
                    {"price", std::to_string(random.between(0, 4000)) + ".25"},
                    {"day", "2024-0" + std::to_string(1 + i % 9) + "-11"},
                    {"late", i % 3 == 0 ? "true" : "false"}});
  return rows;
}

/// A file of these rows; `broken` names a column whose cell in the last row is none of its type.
class file {
 public:
  explicit file(const std::vector<cells>& rows, const std::string& broken = {}) {
    std::filesystem::create_directories(folder_.path());
    std::ofstream to(path());
    const auto line = [&](auto&& cell_of) {
      for (std::size_t i = 0; i < names.size(); ++i) to << (i == 0 ? "" : ",") << cell_of(names[i]);
      to << "\n";
    };
    line([](const std::string& name) { return name; });
    for (const auto& row : rows)
      line([&](const std::string& name) {
        return &row == &rows.back() && name == broken ? "nonsense" : row.at(name);
      });
  }
  std::string path() const { return folder_.path() + "/flights.csv"; }

 private:
  testing::spill_folder folder_;
};

template <typename T>
std::string text_of(const value<T>& result) {
  return detail::shown_text(result.get());
}
template <typename E>
std::string text_of(const query<E>& rows) {
  std::ostringstream text;
  text << rows.collect();
  return text.str();
}

/// "carrier, delay": what explain() says that the query reads of the file's columns.
template <typename Query>
std::string read_columns(const Query& query) {
  const std::string text = query.explain(), before = ", of 8 columns ";
  const auto at = text.find(before);
  if (at == text.npos) return "all";
  const auto begin = at + before.size();
  return text.substr(begin, text.find('\n', begin) - begin);
}

/// The columns of a lambda's record that a query reads: all, where the compiler plugin is missing.
std::string seen(const std::string& columns) {
#ifdef PAPPUS_TEST_LAMBDAS_ON_OPENCL
  return columns;
#else
  return columns.empty() ? "" : "all";
#endif
}

/// \param columns  that the query reads
template <typename Make>
PAPPUS_UNHURRIED void check(Make make, const std::string& columns) {
  const auto rows = some_cells(3'000);
  const file whole(rows);
  session s(options{.threads = 2});
  const auto in_memory = s.csv<flight>(whole.path()).collect();
  const auto expected = text_of(make(s, s.borrow(in_memory)));
  EXPECT_EQ(read_columns(make(s, s.csv<flight>(whole.path()))), columns);
  for (const auto& other : {options{.threads = 1, .chunk_rows = 100}, options{.threads = 3}}) {
    session with(other);
    EXPECT_EQ(text_of(make(with, with.csv<flight>(whole.path()))), expected);
  }
  for (const std::string name : {"delay", "miles", "price", "day", "late"}) {
    const file damaged(rows, name);
    const auto query = make(s, s.csv<flight>(damaged.path()));
    const bool is_read =
        columns == "all" || (", " + columns + ",").find(", " + name + ",") != std::string::npos;
    if (is_read)
      EXPECT_THROW(text_of(query), format_error) << name << " of " << columns;
    else
      EXPECT_EQ(text_of(query), expected) << name << " isn't among " << columns;
  }
}

TEST(file_columns, of_member_pointers_are_those) {
  check(
      [](auto&, const auto& rows) { return rows.group_by(&flight::carrier).mean(&flight::delay); },
      "carrier, delay");
  check([](auto&, const auto& rows) { return rows.sum(&flight::miles); }, "miles");
  check([](auto&, const auto& rows) { return rows.count(&flight::delay); }, "delay");
  check([](auto&, const auto& rows) { return rows.map(fn<&flight::day>).max(); }, "day");
  check([](auto&, const auto& rows) { return rows.filter(&flight::late).sum(&flight::price); },
        "price, late");
}

TEST(file_columns, nobody_wants_any_of_rows_that_are_counted) {
  check([](auto&, const auto& rows) { return rows.count(); }, "none");
  check([](auto&, const auto& rows) { return rows.map(&flight::delay).count(); }, "delay");
  check([](auto&, const auto& rows) { return rows.group_by(&flight::carrier).count(); }, "carrier");
  check([](auto&, const auto& rows) { return rows.filter(&flight::late).count(); }, "late");
}

TEST(file_columns, of_several_keys_and_aggregates_are_those_of_all) {
  check(
      [](auto&, const auto& rows) {
        return rows.group_by(&flight::from, &flight::to)
            .aggregate(mean(&flight::delay), max(&flight::price), count());
      },
      "from, to, delay, price");
  check([](auto&,
           const auto& rows) { return rows.aggregate(min(&flight::day), sum(&flight::miles)); },
        "miles, day");
}

TEST(file_columns, of_statistics_are_those_of_key_and_projection) {
  check([](auto&, const auto& rows) { return rows.median(&flight::delay); }, "delay");
  check([](auto&, const auto& rows) { return rows.group_by(&flight::to).median(&flight::delay); },
        "to, delay");
  check([](auto&, const auto& rows) { return rows.count_distinct(&flight::from); }, "from");
  check(
      [](auto&, const auto& rows) {
        return rows.group_by(&flight::carrier).count_distinct(&flight::to);
      },
      "carrier, to");
  check([](auto&, const auto& rows) { return rows.histogram(4, 0, 4000, &flight::price); },
        "price");
  check(
      [](auto&, const auto& rows) {
        return rows.group_by(&flight::carrier)
            .map_groups([](std::string_view, auto miles) { return std::int64_t{miles[0]}; },
                        &flight::miles);
      },
      "carrier, miles");
}

TEST(file_columns, are_all_where_records_are_kept_or_seen_whole) {
  check([](auto&, const auto& rows) { return rows.sort_by(&flight::price).take(5); }, "all");
  check([](auto&, const auto& rows) { return rows.top(3, &flight::miles); }, "all");
  check([](auto&, const auto& rows) { return rows.cache().sum(&flight::miles); }, "all");
  check([](auto&, const auto& rows) { return rows.filter(&flight::late).materialise(); }, "all");
  check([](auto&, const auto& rows) { return rows.group_by(&flight::from).first(); }, "all");
  check(
      [](auto& s, const auto& rows) {
        return s.range(100, 130).join(
            rows, [](int x) { return x; }, &flight::miles,
            [](int x, const flight& of) { return of.price + x; });
      },
      "all");
}

struct leg {
  std::string_view from;
  std::optional<std::int32_t> delay;
  std::string_view to;
};

TEST(file_columns, are_all_where_whole_records_are_keys) {
  testing::spill_folder folder;
  std::filesystem::create_directories(folder.path());
  const auto path = folder.path() + "/legs.csv";
  session s(options{.threads = 2});
  s.range(0, 2'000)
      .map([](int i) {
        return leg{i % 2 == 0 ? "Oslo" : "Rome", i % 5 == 0 ? std::optional<int>() : i % 4,
                   i % 3 == 0 ? "Kiel" : "Bern, which has a longer name"};
      })
      .write(path);
  const auto in_memory = s.csv<leg>(path).collect();
  const auto compare = [&](auto&& make) {
    EXPECT_EQ(text_of(make(s.csv<leg>(path))), text_of(make(s.borrow(in_memory))));
  };
  compare([](const auto& rows) { return rows.distinct(); });
  compare([](const auto& rows) { return rows.count_distinct(); });
  compare([](const auto& rows) { return rows.value_counts(); });
  compare([](const auto& rows) { return rows.take(100).distinct().count(); });
  compare([](const auto& rows) { return rows.group_by(std::identity()).max(&leg::delay); });
}

TEST(file_columns, are_those_of_all_readers_behind_slices_and_concatenations) {
  check([](auto&, const auto& rows) { return rows.skip(10).take(5'000).sum(&flight::miles); },
        "miles");
  check(
      [](auto&, const auto& rows) {
        return rows.take(10).concat(rows.skip(2'995)).group_by(&flight::late).sum(&flight::miles);
      },
      "miles, late");
  const auto rows = some_cells(500);
  const file damaged(rows, "price");
  session s(options{.threads = 2});
  const auto flights = s.csv<flight>(damaged.path());
  const auto miles = flights.sum(&flight::miles);
  const auto late = flights.filter(&flight::late).count();
  s.run(miles, late);
  EXPECT_GT(miles.get(), 0);
  EXPECT_EQ(late.get(), 167);
  EXPECT_THROW(flights.sum(&flight::price).get(), format_error) << "it wasn't asked for before";
}

TEST(file_columns, of_lambdas_are_those_that_the_plugin_sees) {
  check(
      [](auto&, const auto& rows) {
        return rows.filter([](const flight& f) { return f.miles > 1000; }).count();
      },
      seen("miles"));
  check(
      [](auto&, const auto& rows) {
        return rows.map([](const flight& f) { return f.miles * f.price; }).max();
      },
      seen("miles, price"));
  check(
      [](auto&, const auto& rows) {
        return rows.filter([](const flight& f) { return f.carrier == "B" && f.delay > 3; })
            .group_by([](const flight& f) { return f.day.month(); })
            .sum(&flight::miles);
      },
      seen("carrier, delay, miles, day"));
  check(
      [](auto&, const auto& rows) {
        return rows.flat_map([](const flight& f) { return std::array{f.from, f.to}; })
            .group_by([](std::string_view name) { return name; })
            .count();
      },
      seen("from, to"));
}

TEST(file_columns, are_all_of_functions_that_may_throw) {
  const auto rows = some_cells(500);
  const file whole(rows);
  session s(options{.threads = 2});
  const auto names_it = s.csv<flight>(whole.path()).map([](const flight& f) {
    if (f.miles < 3'000 && f.late) throw std::runtime_error("late: " + std::string(f.from));
    return f.miles;
  });
  EXPECT_EQ(read_columns(names_it.sum()), "all");
  try {
    names_it.sum().get();
    ADD_FAILURE() << "expected an exception";
  } catch (const std::runtime_error& e) {
    EXPECT_THAT(e.what(), HasSubstr("late: F"));
  }
}

TEST(file_columns, must_be_there_and_bound_once_though_nobody_reads_them) {
  const file whole(some_cells(3));
  session s;
  EXPECT_THROW(s.csv<flight>(whole.path(), column("carriers", &flight::carrier)), format_error);
  EXPECT_THROW(
      s.csv<flight>(whole.path(), column("miles", &flight::miles), column("miles", &flight::delay)),
      usage_error);
}

}  // namespace
}  // namespace pappus::file_columns

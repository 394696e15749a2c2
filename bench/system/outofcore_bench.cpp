// Queries over files with less memory than they take: all of it, a half, down to a 32nd.
//
// The floor of a version is twice the time with all memory, or what the disk needs for the bytes
// that went there and came back, at the rates that it had just before; whichever is more.
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "memory/measure_disk.h"
#include "system/buffer.h"
#include "system/checksum.h"
#include "system/generator.h"
#include "system/scratch_file.h"
#include "system/suite.h"

namespace pappus::bench {
namespace {

/// A file of the input.
class input_file {
 public:
  /// Of lines: the header, then line_at(i).
  template <typename F>
  static input_file of_text(std::string_view header, std::int64_t n, F&& line_at) {
    input_file made;
    std::ofstream file(made.path());
    file << header << "\n";
    for (std::int64_t i = 0; i < n; ++i) file << line_at(static_cast<std::uint64_t>(i)) << "\n";
    made.check(file);
    return made;
  }
  /// Of raw records.
  template <typename T, typename F>
  static input_file of(std::int64_t n, const stage& on, F&& record_at) {
    constexpr std::int64_t at_once = 1 << 20;
    input_file made;
    std::ofstream file(made.path(), std::ios::binary);
    const buffer<T> some(std::min(n, at_once), on.workers);
    for (std::int64_t begin = 0; begin < n; begin += at_once) {
      const std::int64_t rows = std::min(at_once, n - begin);
      for (std::int64_t i = 0; i < rows; ++i)
        some[i] = record_at(static_cast<std::uint64_t>(begin + i));
      file.write(reinterpret_cast<const char*>(&some[0]),
                 static_cast<std::streamsize>(static_cast<std::size_t>(rows) * sizeof(T)));
    }
    made.check(file);
    return made;
  }
  const std::string& path() const { return file_.path(); }

 private:
  void check(std::ofstream& file) const {
    if (!file.flush())
      throw format_error(fmt::format("{}: the benchmark's input can't be written", path()));
  }
  scratch_file file_;
};

/// One of the versions: a session with its budget, and the query in it.
template <typename T>
struct budgeted {
  std::unique_ptr<session> engine;
  collection<T> rows;
  std::size_t budget_bytes;
  std::string checksum{};
};

/// Of "spill file: 599 MiB written, 614 MiB read back": bytes.
struct spilled_bytes {
  double written = 0, read = 0;
};

double bytes_before(const std::string& text, std::string_view word) {
  const auto end = text.find(word), begin = text.find_last_of(":,", end) + 1;
  const double number = std::atof(text.c_str() + begin);
  const auto unit = std::string_view(text).substr(begin, end - begin);
  const auto is = [&](const char* name) { return unit.find(name) != unit.npos; };
  return number * (is("GiB") ? 1 << 30 : is("MiB") ? 1 << 20 : is("KiB") ? 1 << 10 : 1);
}

spilled_bytes spilled_of(const std::string& report) {
  const auto at = report.find("spill file: ");
  if (at == std::string::npos) return {};
  const auto text = report.substr(at);
  return {bytes_before(text, " written"), bytes_before(text, " read back")};
}

/// Checksums are of rows in order / rows / sum of values: peers whose rows come in another order
/// agree in the last two.
/// \param query  session -> collection
/// \param value  of a record of the result, for the checksum
template <typename Result, typename Query, typename Value>
std::vector<result> with_less_memory(const stage& on, const std::string& name, std::int64_t n,
                                     Query query, Value value) {
  const auto threads = static_cast<unsigned>(on.workers.threads());
  const auto make = [&](std::size_t budget) {
    auto engine = std::make_unique<session>(
        options{.threads = threads, .host_memory = budget, .devices = "cpu", .progress = 0});
    collection<Result> rows = query(*engine);
    return budgeted<Result>{std::move(engine), std::move(rows), budget};
  };
  const auto run = [value](budgeted<Result>& what) {
    std::uint64_t hash = 0, place = 0, total = 0;
    what.rows.for_each_chunk([&](std::span<const Result> rows) {
      for (const Result& row : rows) {
        const std::uint64_t bits = value(row);
        hash += mix64(bits + ++place * golden);
        total += bits;
      }
    });
    what.checksum = fmt::format("{}/{}/{}", hex_digits(hash), place, hex_digits(total));
  };
  std::vector<budgeted<Result>> all;
  all.push_back(make(0));
  run(all[0]);
  const auto needed = all[0].engine->host_memory_peak();
  std::vector<std::string> names{"resident"};
  constexpr std::size_t least = std::size_t{8} << 20;
  for (const std::size_t part : {2, 4, 8, 16, 32}) {
    names.push_back(fmt::format("1/{}", part));
    all.push_back(make(std::max(needed / part, least)));
  }
  std::vector<version> versions;
  for (std::size_t i = 0; i < all.size(); ++i)
    versions.push_back(
        {names[i], [&run, &one = all[i]] { run(one); }, [&one = all[i]] { return one.checksum; }});
  auto results = compare(on, name, n, 0, std::move(versions));
  memory::measured_disk disk;
  for (std::size_t i = 0; i < all.size(); ++i) {
    results[i].budget_bytes = all[i].budget_bytes;
    const auto bytes = spilled_of(all[i].rows.count().explain_analyze());
    double moving = 0;
    if (bytes.written > 0) {
      if (disk.write_gb_per_s == 0) disk = memory::measure_disk({});
      moving = bytes.written / disk.write_gb_per_s * 1e-9 + bytes.read / disk.read_gb_per_s * 1e-9;
    }
    results[i].floor_s = std::max((i == 0 ? 1 : 2) * results[0].median_s, moving);
  }
  return results;
}

struct placed_key {
  std::int64_t key, place;
};

/// Ten of each key, about, in random order.
input_file file_of_groups(const stage& on, std::int64_t n) {
  const stream keys(on.asked.seed, 0);
  const auto groups = static_cast<std::uint64_t>(std::max<std::int64_t>(n / 10, 1));
  return input_file::of<placed_key>(n, on, [&](std::uint64_t i) {
    return placed_key{static_cast<std::int64_t>(keys.bits(i) % groups),
                      static_cast<std::int64_t>(i)};
  });
}

/// A row of a CSV file.
struct visit {
  std::int64_t time, place;
  std::string_view page, visitor;
};

struct tera_record {
  std::array<std::uint8_t, 10> key;  // ordered byte by byte
  std::array<std::uint8_t, 8> place;
  std::array<std::uint8_t, 82> filler;
};
static_assert(sizeof(tera_record) == 100);

}  // namespace

std::vector<result> run_outofcore_sort(const stage& on, std::int64_t n) {
  const stream keys(on.asked.seed, 0);
  const auto file = input_file::of<placed_key>(n, on, [&](std::uint64_t i) {
    return placed_key{static_cast<std::int64_t>(keys.bits(i)), static_cast<std::int64_t>(i)};
  });
  return with_less_memory<placed_key>(
      on, "outofcore_sort", n,
      [&](session& s) { return s.raw<placed_key>(file.path()).sort_by(&placed_key::key); },
      [](const placed_key& row) { return static_cast<std::uint64_t>(row.place); });
}

std::vector<result> run_outofcore_terasort(const stage& on, std::int64_t n) {
  const stream first(on.asked.seed, 0), second(on.asked.seed, 1);
  const auto file = input_file::of<tera_record>(n, on, [&](std::uint64_t i) {
    tera_record made{};
    const auto high = first.bits(i), low = second.bits(i);
    std::memcpy(made.key.data(), &high, 8);
    std::memcpy(made.key.data() + 8, &low, 2);
    std::memcpy(made.place.data(), &i, 8);
    made.filler.fill(static_cast<std::uint8_t>('A' + i % 26));
    return made;
  });
  return with_less_memory<tera_record>(
      on, "outofcore_terasort", n,
      [&](session& s) { return s.raw<tera_record>(file.path()).sort_by(&tera_record::key); },
      [](const tera_record& row) {
        std::uint64_t place = 0;
        std::memcpy(&place, row.place.data(), 8);
        return place;
      });
}

std::vector<result> run_outofcore_text(const stage& on, std::int64_t n) {
  const stream times(on.asked.seed, 0), visitors(on.asked.seed, 1);
  const auto file = input_file::of_text("time,place,page,visitor", n, [&](std::uint64_t i) {
    const auto who = visitors.bits(i);
    return fmt::format("{},{},/shop/articles/{}.html,visitor {:x} from somewhere",
                       times.bits(i) >> 1, i, who % 1000, who);
  });
  return with_less_memory<visit>(
      on, "outofcore_text", n,
      [&](session& s) {
        return s
            .csv<visit>(file.path(), column("time", &visit::time), column("place", &visit::place),
                        column("page", &visit::page), column("visitor", &visit::visitor))
            .sort_by(&visit::time);
      },
      [](const visit& row) {
        return static_cast<std::uint64_t>(row.place) ^ bits_of_text(row.page) ^
               bits_of_text(row.visitor);
      });
}

std::vector<result> run_outofcore_groupby(const stage& on, std::int64_t n) {
  using group = keyed<std::int64_t, std::int64_t>;
  const auto file = file_of_groups(on, n);
  return with_less_memory<group>(
      on, "outofcore_groupby", n,
      [&](session& s) {
        return s.raw<placed_key>(file.path()).group_by(&placed_key::key).sum(&placed_key::place);
      },
      [](const group& row) {
        return static_cast<std::uint64_t>(row.key) ^ static_cast<std::uint64_t>(row.value);
      });
}

std::vector<result> run_outofcore_distinct(const stage& on, std::int64_t n) {
  const auto file = file_of_groups(on, n);
  return with_less_memory<std::int64_t>(
      on, "outofcore_distinct", n,
      [&](session& s) { return s.raw<placed_key>(file.path()).map(&placed_key::key).distinct(); },
      [](std::int64_t key) { return static_cast<std::uint64_t>(key); });
}

/// As many right rows as half of the left ones, in random order, a key each; four of five left rows
/// have a match.
std::vector<result> run_outofcore_join(const stage& on, std::int64_t n) {
  const stream keys(on.asked.seed, 0), misses(on.asked.seed, 3);
  const stream chosen(on.asked.seed, 2);
  const auto right_rows = std::max<std::int64_t>(n / 2, 1);
  const auto right = input_file::of<placed_key>(right_rows, on, [&](std::uint64_t i) {
    return placed_key{static_cast<std::int64_t>(keys.bits(i) >> 1), static_cast<std::int64_t>(i)};
  });
  const auto left = input_file::of<placed_key>(n, on, [&](std::uint64_t i) {
    const auto of = chosen.bits(i) % (static_cast<std::uint64_t>(right_rows) * 5 / 4);
    const bool misses_it = of >= static_cast<std::uint64_t>(right_rows);
    const auto bits = misses_it ? misses.bits(i) : keys.bits(of);
    return placed_key{static_cast<std::int64_t>(bits >> 1), static_cast<std::int64_t>(i)};
  });
  return with_less_memory<std::int64_t>(
      on, "outofcore_join", n,
      [&](session& s) {
        return s.raw<placed_key>(left.path())
            .join(s.raw<placed_key>(right.path()), &placed_key::key, &placed_key::key,
                  [](const placed_key& a, const placed_key& b) { return a.place ^ b.place; });
      },
      [](std::int64_t pair) { return static_cast<std::uint64_t>(pair); });
}

}  // namespace pappus::bench

// Runs random queries and prints each as a line of JSON, with Pappus's answer and what it is in
// SQL, for compare.py, which has an oracle answer them, too.
//
//     pappus_oracle FOLDER SEED FIRST COUNT     files lie in FOLDER
//
// Lines: {"table", "load"} before the queries that read it, after which the program waits for a
// line, since files of the tables before go; {"begin"} before a query runs, so that
// the driver knows which one a crash belongs to; {"query", "steps", "settings", "sql", "rows"}, or
// "failed" instead of rows.
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/memory_scale.h"
#include "oracle/pipeline.h"

namespace pappus::oracle {
namespace {

constexpr std::uint64_t queries_of_a_world = 8;

std::string json(std::string_view text) {
  std::string made;
  add_json_text(made, text);
  return made;
}

/// Settings that never change a result.
struct settings {
  unsigned threads;
  std::int64_t chunk_rows;
  std::size_t memory;  ///< 0: plenty
  std::string text() const {
    return fmt::format("threads {}, chunk rows {}, memory {}", threads, chunk_rows, memory);
  }
};
settings drawn_settings(draw& d) {
  static constexpr std::int64_t chunks[] = {0, 0, 1, 37, 1'000, 4'099};
  constexpr std::size_t scaled_mib = (std::size_t{1} << 20) / 8;
  return {static_cast<unsigned>(d.number(1, 4)), d.one_of(chunks),
          d.once_in(2) ? 0 : scaled_mib * static_cast<std::size_t>(d.number(6, 48))};
}

template <typename List>
const auto& any_of(draw& d, std::initializer_list<const List*> lists) {
  const auto& list = **(lists.begin() + d.number(0, static_cast<int>(lists.size()) - 1));
  return d.one_of(list);
}

/// Draws a query, runs it and prints it.
void run(const world& from, const std::string& folder, std::uint64_t seed, std::uint64_t number,
         const settings& with, const char* refused) {
  // Patterns for files of this query must find none of another's.
  for (const auto& old : std::filesystem::directory_iterator(folder))
    if (old.path().filename().string().starts_with("between_")) std::filesystem::remove(old);
  draw d(seed);
  std::string steps, sql, outcome;
  try {
    session s(options{.threads = with.threads,
                      .host_memory = with.memory == 0 ? std::size_t{1} << 30 : with.memory,
                      .chunk_rows = with.chunk_rows,
                      .devices = "cpu",
                      .spill = folder});
    pipeline p(s, d, from, folder);
    auto at = p.read(from.left);
    const int steps_drawn = d.number(0, 5);
    for (int i = 0; i < steps_drawn; ++i) {
      const auto& next =
          any_of<std::vector<step>>(d, {&steps_of_rows(), &steps_of_order(), &steps_of_groups(),
                                        &steps_of_joins(), &steps_of_windows()});
      at = next.run(p, at);
      at = p.few(at, 60'000);
    }
    const bool all_records = steps_drawn > 0 && d.once_in(2);
    if (all_records) at = p.few(at, 20'000);
    const auto& last =
        all_records ? d.one_of(endings_of_records())
        : steps_drawn == 0 && d.once_in(4)
            ? d.one_of(endings_of_lines())
            : any_of<std::vector<ending>>(
                  d, {&endings_of_all(), &endings_of_groups(), &endings_of_values()});
    p.note(last.name);
    steps = p.names();
    const auto [rows, last_sql] = last.run(p, at);
    steps = p.names();
    sql = p.query(last_sql);
    outcome = fmt::format("\"rows\":{}", rows);
  } catch (const memory_error& problem) {
    if (with.memory != 0) {  // less than this query can do with, as it says
      base::set_memory_scale(1);
      run(from, folder, seed, number, {with.threads, with.chunk_rows, 0}, "1");
      return;
    }
    outcome = fmt::format("\"failed\":{}", json(problem.what()));
  } catch (const std::exception& problem) {
    outcome = fmt::format("\"failed\":{}", json(problem.what()));
  }
  fmt::print("{{\"query\":{},\"steps\":{},\"settings\":{},\"sql\":{},\"refused\":{},{}}}\n", number,
             json(steps), json(with.text()), json(sql), refused, outcome);
}

void tell_table(std::string_view name, const std::string& load) {
  fmt::print("{{\"table\":{},\"load\":{}}}\n", json(name), json(load));
}

void run_all(const std::string& folder, std::uint64_t seed, std::uint64_t first,
             std::uint64_t count) {
  world from;
  for (auto number = first; number < first + count; ++number) {
    const auto world_number = number / queries_of_a_world;
    if (number == first || number % queries_of_a_world == 0) {
      for (const auto& old : std::filesystem::directory_iterator(folder))
        std::filesystem::remove_all(old);
      base::set_memory_scale(1);
      draw d(seed * 1'000'003 + world_number * 2 + 1);
      from = drawn_world(d, folder, world_number);
      tell_table(from.left.name, from.left.load);
      tell_table(from.right.name, from.right.load);
      tell_table("lines", from.load_lines);
      fmt::print("{{\"wait\":1}}\n");
      std::fflush(stdout);
      std::getchar();
    }
    const auto of_query = seed * 1'000'003 + number * 2;
    draw d(of_query + (std::uint64_t{1} << 60));
    const auto with = drawn_settings(d);
    base::set_memory_scale(with.memory == 0 ? 1 : 8);
    fmt::print("{{\"begin\":{}}}\n", number);
    std::fflush(stdout);
    run(from, folder, of_query, number, with, "0");
    fmt::print("{{\"end\":{}}}\n", number);
    std::fflush(stdout);
  }
}

}  // namespace
}  // namespace pappus::oracle

int main(int argc, char** argv) {
  if (argc != 5) {
    std::fputs("pappus_oracle FOLDER SEED FIRST COUNT\n", stderr);
    return 2;
  }
  const auto number = [&](int i) { return std::strtoull(argv[i], nullptr, 10); };
  pappus::oracle::run_all(argv[1], number(2), number(3), number(4));
}

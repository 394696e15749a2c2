// Files of random records: their sizes, formats, and how often keys come are drawn.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/memory_scale.h"
#include "conformance/harness.h"
#include "pappus/pappus.h"

namespace pappus::random_pipelines {

/// What steps work on. No bytes lie between its fields, so that records may be compared as bytes.
struct record {
  std::string_view text;
  std::int64_t key;
  double value;
  std::int32_t group, number;
  std::array<std::int64_t, 11> rest;  // makes records as long as to fill memory soon
};
/// What files without text hold of it.
struct stored {
  std::int64_t key;
  double value;
  std::int32_t group, number;
  std::array<std::int64_t, 11> rest;
};
static_assert(sizeof(record) == 128 && sizeof(stored) == 112);

using rows = collection<record>;

inline std::string_view word(std::int64_t number) {
  static constexpr std::string_view words[]{
      "", "a", "b, quoted", "as long as this, so that it lies elsewhere", "\"c\"", "d", "dd", "e"};
  return words[static_cast<std::uint64_t>(number) % std::size(words)];
}
inline record of_stored(const stored& r) {
  return {word(r.key), r.key, r.value, r.group, r.number, r.rest};
}
inline stored as_stored(const record& r) { return {r.key, r.value, r.group, r.number, r.rest}; }

/// A well mixed number for each (Steele, Lea, Flood 2014: SplitMix).
inline std::uint64_t mixed_up(std::uint64_t x) {
  x = (x + 0x9e3779b97f4a7c15u) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

enum class shape { equal, different, few, repeated, skewed, one_hot, sorted };
enum class format { raw, npy, csv, json };

/// A file with its rows, as they were drawn.
struct drawn_file {
  std::string path;
  format in{};
  shape keys{};
  std::int64_t rows = 0, most_of_a_key = 0;

  std::string name() const {
    static constexpr const char* shapes[]{"equal",  "different", "few",   "repeated",
                                          "skewed", "one_hot",   "sorted"};
    static constexpr const char* formats[]{"raw", "npy", "csv", "json"};
    return fmt::format("{} rows of {} keys ({})", rows, shapes[static_cast<int>(keys)],
                       formats[static_cast<int>(in)]);
  }
};

inline std::int64_t key_of(shape keys, std::int64_t row, std::int64_t rows, std::uint64_t seed) {
  const auto any = static_cast<std::int64_t>(mixed_up(seed + static_cast<std::uint64_t>(row)) >> 2);
  const auto below = [](std::int64_t x, std::int64_t n) { return x % (n > 0 ? n : 1); };
  switch (keys) {
    case shape::equal:
      return 7;
    case shape::different:
      return below(row * 611'953, rows);  // a prime: each of them once
    case shape::few:
      return below(any, 5);
    case shape::repeated:
      return below(row * 611'953, rows) / 3;
    case shape::skewed:
      return below(any, 1 + below(any >> 20, rows));
    case shape::one_hot:
      return row % 2 == 0 ? 42 : below(any, rows);
    case shape::sorted:
      return row;
  }
  return 0;
}

inline stored drawn_record(shape keys, std::int64_t row, std::int64_t rows, std::uint64_t seed) {
  const auto key = key_of(keys, row, rows, seed);
  const auto any = mixed_up(seed ^ mixed_up(static_cast<std::uint64_t>(row)));
  const double value = any % 64 == 0 ? std::numeric_limits<double>::quiet_NaN()
                                     : (static_cast<double>(any % 2'000'001) - 1e6) * 1e-3;
  return {key,
          value,
          static_cast<std::int32_t>(any >> 40) % 1000,
          static_cast<std::int32_t>(any >> 8),
          {row, -row, key, 0, row * 3}};
}

/// Text of CSV files and JSON lines: of as many different ones as there are keys, or of few; in
/// some files far longer than the rest of a record.
inline std::string drawn_text(const stored& r, std::uint64_t seed) {
  const auto row = static_cast<std::size_t>(r.rest[0]);
  switch (seed % 6) {
    case 0:
      return std::string(word(r.group));
    case 1:
      return fmt::format("{}", r.key);
    case 2:
      return fmt::format("the text of key {}, which is long", r.key % 1000);
    case 3:
      return fmt::format("row {}", row) + std::string(row % 400, 'x');
    case 4:
      return fmt::format("row {}", row) + std::string(row % 1000 == 0 ? 50'000 : 0, 'y');
    default:
      return fmt::format("row {:>9}", r.rest[0]);
  }
}

inline void write_csv(const std::string& path, const std::vector<stored>& all, std::uint64_t seed) {
  std::ofstream file(path, std::ios::binary);
  file << "number,text,key,value,group\n";
  std::string line;
  for (const auto& r : all) {
    line = fmt::format("{},\"", r.number);
    for (const char c : drawn_text(r, seed)) line.append(c == '"' ? 2 : 1, c);
    fmt::format_to(std::back_inserter(line), "\",{},{},{}\n", r.key, r.value, r.group);
    file << line;
  }
}

/// What is missing is null, as which NaN is read.
inline void write_json(const std::string& path, const std::vector<stored>& all,
                       std::uint64_t seed) {
  std::ofstream file(path, std::ios::binary);
  std::string line;
  for (const auto& r : all) {
    line = fmt::format("{{\"number\":{},\"inner\":{{\"text\":\"", r.number);
    for (const char c : drawn_text(r, seed)) line.append(c == '"' ? "\\" : "").append(1, c);
    const auto value = r.value == r.value ? fmt::format("{}", r.value) : "null";
    fmt::format_to(std::back_inserter(line), "\"}},\"key\":{},\"value\":{},\"group\":{}}}\n", r.key,
                   value, r.group);
    file << line;
  }
}

/// Draws the file's records and writes them.
inline drawn_file draw_file(const std::string& path, format in, shape keys, std::int64_t rows,
                            std::uint64_t seed) {
  std::vector<stored> all;
  for (std::int64_t i = 0; i < rows; ++i) all.push_back(drawn_record(keys, i, rows, seed));
  drawn_file made{path, in, keys, rows, rows};
  if (keys == shape::different || keys == shape::sorted) made.most_of_a_key = 1;
  if (keys == shape::repeated) made.most_of_a_key = 3;
  static constexpr const char* suffixes[]{".raw", ".npy", ".csv", ".jsonl"};
  made.path += suffixes[static_cast<int>(in)];
  if (in == format::csv) {
    write_csv(made.path, all, seed);
  } else if (in == format::json) {
    write_json(made.path, all, seed);
  } else {
    session s({.threads = 1, .devices = "cpu", .spill = "off"});
    s.borrow(all).write(made.path);
  }
  return made;
}

/// first(the file's records), which are fused with what it does.
template <typename First>
rows opened(session& s, const drawn_file& file, First first) {
  if (file.in == format::csv)
    return first(s.csv<record>(file.path, column("text", &record::text),
                               column("key", &record::key), column("value", &record::value),
                               column("group", &record::group), column("number", &record::number)));
  if (file.in == format::json)
    return first(s.json<record>(file.path, column("inner.text", &record::text),
                                column("key", &record::key), column("value", &record::value),
                                column("group", &record::group),
                                column("number", &record::number)));
  const auto all = file.in == format::raw ? s.raw<stored>(file.path) : s.npy<stored>(file.path);
  return first(all.map(of_stored));
}
inline rows opened(session& s, const drawn_file& file) {
  return opened(s, file, [](const auto& all) -> rows { return all; });
}

/// The files of some pipelines: rows of any keys, and such that a join doesn't multiply by much.
class drawn_files {
 public:
  drawn_files(const std::string& folder, std::uint64_t seed) {
    testing::random numbers(seed);
    const auto draw = [&](const char* name, std::initializer_list<shape> shapes,
                          std::int64_t most) {
      const auto one_of = [&](const auto& list) {
        return list.begin()[numbers.between(0, static_cast<std::int64_t>(list.size()) - 1)];
      };
      const auto keys = one_of(shapes);
      const auto in =
          one_of(std::array{format::raw, format::raw, format::npy, format::csv, format::json});
      const auto some = [&](std::int64_t low, std::int64_t high) {
        return base::scaled(numbers.between(low, high));
      };
      const auto rows = one_of(std::array<std::int64_t, 12>{
          0, 1, 17, 4097, some(2, 9'999), some(10'000, 30'000), some(30'000, 50'000),
          some(30'000, 50'000), some(30'000, 80'000), some(30'000, 80'000), some(60'000, 100'000),
          base::scaled(most)});
      return draw_file(folder + "/" + name, in, keys, rows, seed);
    };
    any = draw("any",
               {shape::equal, shape::different, shape::few, shape::repeated, shape::skewed,
                shape::one_hot, shape::sorted},
               120'000);
    other = draw("other", {shape::different, shape::repeated, shape::sorted}, 120'000);
  }
  ~drawn_files() {
    std::filesystem::remove(any.path);
    std::filesystem::remove(other.path);
  }
  drawn_files(const drawn_files&) = delete;
  drawn_files& operator=(const drawn_files&) = delete;

  drawn_file any, other;
  std::string name() const { return fmt::format("{}, other {}", any.name(), other.name()); }
};

}  // namespace pappus::random_pipelines

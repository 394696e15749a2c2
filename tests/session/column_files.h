// Files of columns that say what a CSV file does, and queries of them.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "formats/support.h"
#include "pappus/pappus.h"
#include "support/spill_settings.h"

namespace pappus::column_files {

struct ride {
  std::int64_t number;
  std::string_view place;
  std::optional<double> price;
  date day;
};

inline ride ride_of(std::int64_t i, std::string_view place) {
  ride r{i * 7'919 % 10'007, place, std::nullopt, {static_cast<std::int32_t>(i % 900)}};
  if (i % 4 != 1) r.price = static_cast<double>(i % 31) / 4;
  return r;
}

/// Rides in three files, and in a CSV file.
struct some_files {
  const testing::spill_folder folder;

  explicit some_files(int rows, const std::string& suffix = ".parquet") {
    std::filesystem::create_directories(in(""));
    session s({.threads = 2, .devices = "cpu"});
    std::vector<std::string> places;
    for (int i = 0; i < 997; ++i) places.push_back("place " + std::to_string(i));
    std::vector<ride> all;
    for (int file = 0; file < 3; ++file) {
      std::vector<ride> some;
      for (int i = 0; i < rows; ++i)
        some.push_back(ride_of(i + file, places[static_cast<std::size_t>(i * 31 % 997)]));
      s.from(some).write(in("rides-" + std::to_string(file) + suffix));
      all.insert(all.end(), some.begin(), some.end());
    }
    s.from(all).write(in("rides.csv"));
  }
  some_files(const some_files&) = delete;
  ~some_files() { std::filesystem::remove_all(in("")); }

  std::string in(const std::string& name) const { return folder.path() + ".files/" + name; }
  std::string content(const std::string& name) const { return testing::content_of(in(name)); }
};

/// What queries yield of the rows.
inline std::vector<std::string> programs(const collection<ride>& rows, const some_files& files) {
  const auto to = files.in("result.csv");
  std::vector<std::string> results{std::to_string(rows.count().get()),
                                   std::to_string(rows.sum(&ride::number).get()),
                                   std::to_string(rows.map(&ride::price).sum().get())};
  rows.sort_by(&ride::number).write(to);
  results.push_back(files.content("result.csv"));
  std::string groups;
  for (const auto& [place, sum] : rows.group_by(&ride::place).sum(&ride::number).collect())
    groups += std::string(place) + " " + std::to_string(sum) + "\n";
  results.push_back(groups);
  std::string some;
  for (const auto& r : rows.top(9, &ride::number).collect()) some += std::string(r.place) + "\n";
  const auto places = rows.filter([](const ride& r) { return r.price && *r.price > 7; })
                          .map([](const ride& r) { return r.place.substr(1); })
                          .collect();
  for (const auto place : places) some += std::string(place) + "\n";
  results.push_back(some);
  rows.filter([](const ride& r) { return r.place.ends_with('7'); }).write(to);
  results.push_back(files.content("result.csv"));
  return results;
}

}  // namespace pappus::column_files

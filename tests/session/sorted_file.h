// A file that is sorted in more or less memory and written to another.
#pragma once

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "pappus/pappus.h"

namespace pappus::sorted_file {

struct item {
  std::int64_t key, row;
};
using items = std::vector<item>;

inline std::string bytes_of(const items& all) {
  return {reinterpret_cast<const char*>(all.data()), all.size() * sizeof(item)};
}
inline void write_file(const std::string& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}
inline std::string read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string bytes(std::filesystem::file_size(path), '\0');
  file.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  return bytes;
}

/// Folders for rows that rest and for what is written, and the input beside them.
struct places {
  std::string spill, results, input, result;
  explicit places(const std::string& folder)
      : spill(folder + "/spill"),
        results(folder + "/results"),
        input(folder + "/input.raw"),
        result(results + "/sorted.raw") {}
  options settings(std::size_t memory) const {
    return {.threads = 2, .host_memory = memory, .devices = "cpu", .spill = spill};
  }
};

inline items input_rows() {
  items all;
  for (std::int64_t i = 0; i < 400'000; ++i) all.push_back({i * 7'919 % 100'003, i});  // 6.1 MiB
  return all;
}
inline items sorted(items all) {
  std::ranges::stable_sort(all, {}, &item::key);
  return all;
}
inline void sort_file(session& s, const places& at) {
  s.raw<item>(at.input).sort_by(&item::key).write(at.result);
}

inline void make(const places& at) {
  std::filesystem::create_directory(at.spill);
  std::filesystem::create_directory(at.results);
  write_file(at.input, bytes_of(input_rows()));
}

}  // namespace pappus::sorted_file

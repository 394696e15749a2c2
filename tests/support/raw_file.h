// Raw files of records for tests, and rows as they come out of a query that needn't fit in memory.
#pragma once

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "pappus/pappus.h"

namespace pappus::testing {

template <typename T>
void write_records(const std::string& path, const std::vector<T>& records) {
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(records.data()),
             static_cast<std::streamsize>(records.size() * sizeof(T)));
}

/// A raw file of records of its own name, removed again.
template <typename T>
class raw_file {
 public:
  explicit raw_file(const std::vector<T>& records) {
    const int made = ::mkstemp(path_.data());
    if (made < 0) throw std::runtime_error("no file can be made here");
    ::close(made);
    write_records(path_, records);
  }
  ~raw_file() { std::filesystem::remove(path_); }
  raw_file(const raw_file&) = delete;
  raw_file& operator=(const raw_file&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_ = "raw-XXXXXX";
};

/// The rows of a query, chunk by chunk.
template <typename T>
std::vector<T> delivered(const collection<T>& rows) {
  std::vector<T> all;
  rows.for_each_chunk(
      [&](std::span<const T> chunk) { all.insert(all.end(), chunk.begin(), chunk.end()); });
  return all;
}

}  // namespace pappus::testing

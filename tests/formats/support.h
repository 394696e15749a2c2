// What tests of formats share: a folder that goes away, and reading or writing whole files of
// records.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "formats/byte_source.h"
#include "formats/format.h"
#include "pappus/columns.h"
#include "pappus/error.h"
#include "support/test_memory.h"
#include "support/test_workers.h"

namespace pappus::testing {

/// A new folder for files of one test, removed at its end.
class temporary_folder {
 public:
  temporary_folder() {
    static std::atomic<int> number{0};
    path_ = std::filesystem::temp_directory_path() /
            ("pappus-formats-" + std::to_string(::getpid()) + "-" + std::to_string(number++));
    std::filesystem::create_directories(path_);
  }
  temporary_folder(const temporary_folder&) = delete;
  temporary_folder& operator=(const temporary_folder&) = delete;
  ~temporary_folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }

  std::string file(const std::string& name) const { return (path_ / name).string(); }

  std::vector<std::string> names() const {
    std::vector<std::string> result;
    for (const auto& entry : std::filesystem::directory_iterator(path_)) {
      result.push_back(entry.path().filename().string());
    }
    return result;
  }

 private:
  std::filesystem::path path_;
};

inline std::string content_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

inline void create_file(const std::string& path, std::string_view content) {
  std::ofstream(path, std::ios::binary).write(content.data(), std::ssize(content));
}

/// The text as a file called `name`; the caller keeps it alive.
inline std::unique_ptr<formats::byte_source> source_of(std::string_view text,
                                                       std::string name = "flights.csv") {
  return formats::borrow_bytes(std::move(name), std::as_bytes(std::span(text)));
}

/// All records left, read `capacity` at a time. The records' strings live as long as the reader.
template <typename Record>
std::vector<Record> read_all(formats::reader& reader, detail::workers& team,
                             std::int64_t capacity = 1000) {
  EXPECT_EQ(reader.record_bytes(), sizeof(Record));
  std::vector<Record> records;
  for (;;) {
    std::vector<Record> part(static_cast<std::size_t>(capacity));
    const std::int64_t n = reader.read(team, reinterpret_cast<std::byte*>(part.data()), capacity);
    records.insert(records.end(), part.begin(), part.begin() + n);
    if (n < capacity) return records;
  }
}

/// The message of the error of type Error that `call` throws; "" and a failed test if it throws
/// none.
template <typename Error, typename Call>
std::string message_of(Call&& call) {
  try {
    call();
  } catch (const Error& thrown) {
    return thrown.what();
  }
  ADD_FAILURE() << "nothing was thrown";
  return "";
}

/// A layout of named columns.
template <typename Record>
detail::record_layout bound(std::initializer_list<column_of<Record>> columns) {
  return {sizeof(Record), {columns.begin(), columns.end()}};
}

}  // namespace pappus::testing

// What tests of Parquet files, and of Arrow's own, share.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "formats/arrow/arrow_reader.h"
#include "formats/arrow/arrow_writer.h"
#include "formats/support.h"

namespace pappus::testing {

/// First in a test that needs libpappus-arrow.so: where it was built it must be found, too.
#if PAPPUS_TEST_ARROW
#define PAPPUS_NEEDS_ARROW() static_cast<void>(0)
#else
#define PAPPUS_NEEDS_ARROW() GTEST_SKIP() << "Pappus was built without Arrow"
#endif

/// Some of `n` records at a time, so that group and block ends fall anywhere.
template <typename Writer, typename Record>
void write_columns(const std::string& path, const std::vector<Record>& records, unsigned threads,
                   detail::memory_source& memory, std::size_t at_a_time,
                   const detail::record_layout& layout) {
  test_workers team(threads);
  Writer writer(path, layout, memory);
  for (std::size_t begin = 0; begin < records.size(); begin += at_a_time)
    writer.append(team, reinterpret_cast<const std::byte*>(records.data() + begin),
                  static_cast<std::int64_t>(std::min(at_a_time, records.size() - begin)));
  writer.close();
}

template <typename Record>
void write_parquet(const std::string& path, const std::vector<Record>& records, unsigned threads,
                   detail::memory_source& memory, std::size_t at_a_time = 50'000,
                   const detail::record_layout& layout = detail::layout_of<Record>()) {
  write_columns<formats::parquet_writer>(path, records, threads, memory, at_a_time, layout);
}
/// The same in Arrow's own format.
template <typename Record>
void write_ipc(const std::string& path, const std::vector<Record>& records, unsigned threads,
               detail::memory_source& memory, std::size_t at_a_time = 50'000,
               const detail::record_layout& layout = detail::layout_of<Record>()) {
  write_columns<formats::ipc_writer>(path, records, threads, memory, at_a_time, layout);
}

/// All records of a file, whose strings `kept` keeps.
template <typename Record>
std::vector<Record> read_columns(
    decltype(formats::open_parquet)& open, const std::string& path, unsigned threads,
    detail::memory_source& memory, std::vector<std::shared_ptr<void>>& kept,
    std::int64_t capacity = 1'000'000,
    const detail::record_layout& layout = detail::layout_of<Record>()) {
  test_workers team(threads);
  const auto reader = open(path, layout, memory);
  std::vector<Record> records;
  for (;;) {
    std::vector<Record> part(static_cast<std::size_t>(capacity));
    const auto n = reader->read(team, reinterpret_cast<std::byte*>(part.data()), capacity);
    kept.push_back(reader->take_strings());
    records.insert(records.end(), part.begin(), part.begin() + n);
    if (n < capacity) break;
  }
  EXPECT_EQ(reader->rows(), std::ssize(records));
  return records;
}

template <typename Record, typename... Others>
std::vector<Record> read_parquet(const std::string& path, unsigned threads,
                                 detail::memory_source& memory,
                                 std::vector<std::shared_ptr<void>>& kept,
                                 const Others&... others) {
  return read_columns<Record>(formats::open_parquet, path, threads, memory, kept, others...);
}
template <typename Record, typename... Others>
std::vector<Record> read_ipc(const std::string& path, unsigned threads,
                             detail::memory_source& memory,
                             std::vector<std::shared_ptr<void>>& kept, const Others&... others) {
  return read_columns<Record>(formats::open_ipc, path, threads, memory, kept, others...);
}

/// What the reader says of a file.
template <typename Record>
std::string parquet_problem(const std::string& path, unsigned threads = 2,
                            const detail::record_layout& layout = detail::layout_of<Record>()) {
  test_memory memory;
  return message_of<error>([&] {
    std::vector<std::shared_ptr<void>> kept;
    read_parquet<Record>(path, threads, memory, kept, 1'000'000, layout);
  });
}

}  // namespace pappus::testing

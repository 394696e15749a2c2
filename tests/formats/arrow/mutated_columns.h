// Files of columns with bytes that are wrong: no crash, no more memory than there is, an error that
// names the file, or the same records however they are read.
#pragma once

#include <memory>
#include <random>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>

#include "formats/arrow/arrow_support.h"

namespace pappus::testing {

inline std::string mutated_bytes(std::string bytes, std::mt19937& random) {
  for (unsigned changes = 1 + random() % 3; changes > 0 && !bytes.empty(); --changes) {
    // Half of them in what describes the file, which lies at its end.
    const auto part = random() % 2 == 0 ? bytes.size() : std::min<std::size_t>(bytes.size(), 600);
    const auto at = bytes.size() - 1 - random() % part;
    switch (random() % 8) {
      case 0:
        bytes.erase(at, 1 + random() % 4);
        break;
      case 1:
        bytes.insert(at, 1, static_cast<char>(random()));
        break;
      case 2:
        if (random() % 4 == 0) bytes.resize(at);
        break;
      case 3:
        bytes[at] = static_cast<char>(bytes[at] ^ (1 << random() % 8));
        break;
      default:
        bytes[at] = static_cast<char>(random());
    }
  }
  return bytes;
}

/// What opens a file: arrow_library's member for its format.
using open_columns = std::unique_ptr<formats::arrow_file> (formats::arrow_library::*)(
    const formats::byte_source& source, detail::memory_source& memory,
    std::int64_t rows_at_once) const;

/// What reading comes to: how many records, and a sum of their bytes' and texts', or "f: ...".
template <typename Record>
std::string outcome_of(std::string_view bytes, unsigned threads, std::int64_t capacity,
                       open_columns open = &formats::arrow_library::open_parquet,
                       const detail::conditions& wanted = {}) {
  test_memory memory(std::size_t{64} << 20);
  std::string outcome;
  auto layout = detail::layout_of<Record>();
  layout.rows = wanted;
  try {
    formats::arrow_reader reader(
        source_of(bytes, "f"), layout, memory, "group",
        [&](const formats::byte_source& source, std::int64_t rows_at_once) {
          return (formats::load_arrow("f").*open)(source, memory, rows_at_once);
        });
    test_workers team(threads);
    std::vector<Record> records(static_cast<std::size_t>(capacity));
    std::size_t sum = 0;
    std::int64_t rows = 0, n = 0;
    do {
      n = reader.read(team, reinterpret_cast<std::byte*>(records.data()), capacity);
      for (std::int64_t i = 0; i < n; ++i)
        for (const auto& column : layout.columns) {
          if (column.type != detail::cell::string && column.type != detail::cell::list) continue;
          std::string_view text;
          std::memcpy(&text,
                      reinterpret_cast<const std::byte*>(&records[static_cast<std::size_t>(i)]) +
                          column.offset,
                      sizeof(text));
          for (const char c : text) sum = sum * 31 + static_cast<unsigned char>(c);
        }
      rows += n;
    } while (n == capacity);
    outcome = std::to_string(rows) + " " + std::to_string(sum);
  } catch (const format_error& problem) {
    outcome = problem.what();
    EXPECT_TRUE(outcome.starts_with("f: ")) << outcome;
    outcome = "f: ";
  } catch (const memory_error&) {
    outcome = "f: ";
  }
  EXPECT_EQ(memory.used_bytes(), 0U);
  return outcome;
}

/// Returns how many of the mutations could be read.
template <typename Record>
int read_mutations(const std::string& bytes, int rounds, std::mt19937& random,
                   open_columns open = &formats::arrow_library::open_parquet,
                   const detail::conditions& wanted = {}) {
  const auto good = outcome_of<Record>(bytes, 2, 100, open, wanted);
  EXPECT_FALSE(good.starts_with("f: ")) << good;
  int read = 0;
  for (int round = 0; round < rounds; ++round) {
    const auto text = mutated_bytes(bytes, random);
    const auto outcome = outcome_of<Record>(text, 1, 1'000, open, wanted);
    EXPECT_EQ(outcome_of<Record>(text, 2, 70, open, wanted), outcome) << round;
    read += !outcome.starts_with("f: ");
  }
  return read;
}

}  // namespace pappus::testing

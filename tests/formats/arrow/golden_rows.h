// The table that golden.py writes, and what is read of its files.
#pragma once

#include <cstdlib>
#include <optional>
#include <ostream>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "formats/arrow/arrow_support.h"

#ifndef PAPPUS_TEST_PYTHON
#define PAPPUS_TEST_PYTHON "python3"
#define PAPPUS_TEST_PYARROW ""
#endif

namespace pappus::testing {

inline constexpr int none_there = 77;

/// What golden.py prints; nullopt: Python hasn't pyarrow.
inline std::optional<std::string> golden(const temporary_folder& folder,
                                         const std::string& arguments) {
  const auto output = folder.file("printed.txt");
  const auto status = std::system(("PYTHONPATH='" PAPPUS_TEST_PYARROW "' '" PAPPUS_TEST_PYTHON
                                   "' -B '" PAPPUS_SOURCE_DIR "/tests/formats/arrow/golden.py' " +
                                   arguments + " >'" + output + "' 2>&1")
                                      .c_str());
  if (WIFEXITED(status) && WEXITSTATUS(status) == none_there) return std::nullopt;
  EXPECT_EQ(status, 0) << content_of(output);
  return content_of(output);
}

#define PAPPUS_GOLDEN(name, folder, arguments) \
  const auto name = golden(folder, arguments); \
  if (!name) GTEST_SKIP() << "Python has no package pyarrow"

struct golden_row {
  std::int64_t id;
  std::optional<std::string_view> name;
  std::int16_t small;
  std::optional<double> value;
  bool flag;
  date day;
  timestamp at;

  bool operator==(const golden_row&) const = default;
};

/// The rows, with the texts that they point to.
struct golden_table {
  std::vector<std::string> texts;
  std::vector<golden_row> rows;

  golden_table() {
    for (int i = 0; i < 37; ++i) texts.push_back("n" + std::to_string(i));
    for (std::int64_t i = 0; i < 1000; ++i) {
      golden_row row{i * 1'000'003,
                     std::nullopt,
                     static_cast<std::int16_t>(i % 200 - 100),
                     std::nullopt,
                     i % 3 == 0,
                     {static_cast<std::int32_t>(19'000 + i)},
                     {(1'600'000'000 + i) * 1'000'000}};
      if (i % 5 != 3) row.name = texts[static_cast<std::size_t>(i % 37)];
      if (i % 6 != 2) row.value = static_cast<double>(i) / 4;
      rows.push_back(row);
    }
  }
  golden_table(const golden_table&) = delete;
};

template <typename T>
void print(std::ostream& to, const T& value) {
  to << value << ' ';
}
inline void print(std::ostream& to, timestamp value) { to << value.micros << ' '; }
template <typename T>
void print(std::ostream& to, const std::optional<T>& value) {
  if (value)
    print(to, *value);
  else
    to << "none ";
}

/// What becomes of a column of a file of golden.py: values, or what is wrong behind its name.
template <typename T>
std::string read_as(const std::string& file, const char* column_name,
                    decltype(formats::open_parquet)& open = formats::open_parquet) {
  struct row {
    T x;
  };
  const auto layout = bound<row>({column(column_name, &row::x)});
  test_memory memory;
  std::vector<std::shared_ptr<void>> kept;
  std::ostringstream text;
  text.precision(17);
  try {
    for (const auto& one : read_columns<row>(open, file, 1, memory, kept, 100, layout))
      print(text, one.x);
  } catch (const format_error& problem) {
    return std::string(problem.what()).substr(file.size() + 2);
  }
  return text.str();
}

}  // namespace pappus::testing

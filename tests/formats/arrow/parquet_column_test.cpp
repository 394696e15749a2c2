// Values that Parquet's pages have close together, and records have in their places.
#include <gtest/gtest.h>

#include <cstring>
#include <random>

#include "formats/arrow/arrow_support.h"

namespace pappus::testing {
namespace {

constexpr std::size_t many = 300'001;  // of several pages, and of pieces that end in them

/// Of each type that is read as it lies in a file, beside one that has all values.
struct sparse_row {
  std::optional<std::int32_t> i32;
  std::optional<std::uint32_t> u32;
  std::optional<std::int64_t> i64;
  std::optional<std::uint64_t> u64;
  std::optional<float> f32;
  std::optional<double> f64;
  std::optional<date> day;
  std::optional<timestamp> at;
  std::optional<std::string_view> text;
  std::int32_t number = 0;
  std::string_view few;
  bool operator==(const sparse_row&) const = default;
};

/// \param missing(random, i)  whether row i misses a value
template <typename Missing>
std::vector<sparse_row> sparse_rows(std::size_t n, Missing missing) {
  static constexpr std::string_view texts[] = {"", "one", "another text", "x"};
  std::mt19937_64 random(n);
  std::vector<sparse_row> rows(n);
  for (std::size_t i = 0; i < n; ++i) {
    auto& row = rows[i];
    const auto bits = random();
    const auto put = [&]<typename T>(std::optional<T>& field, T value) {
      if (!missing(random, i)) field = value;
    };
    put(row.i32, static_cast<std::int32_t>(bits));
    put(row.u32, static_cast<std::uint32_t>(bits >> 32));
    put(row.i64, static_cast<std::int64_t>(bits % 1000));
    put(row.u64, bits);
    put(row.f32, static_cast<float>(bits % 4096) / 8);
    put(row.f64, static_cast<double>(bits >> 11) / 3);
    put(row.day, date{static_cast<std::int32_t>(bits % 30'000)});
    put(row.at, timestamp{static_cast<std::int64_t>(bits >> 12)});
    put(row.text, texts[bits % 4]);
    row.number = static_cast<std::int32_t>(i);
    row.few = texts[bits / 4 % 4];
  }
  return rows;
}

void expect_read_back(const std::vector<sparse_row>& rows) {
  const temporary_folder folder;
  test_memory memory;
  {
    write_parquet(folder.file("a.parquet"), rows, 2, memory);
    for (const std::int64_t capacity : {1'000'000, 10'007}) {
      std::vector<std::shared_ptr<void>> kept;
      const auto read =
          read_parquet<sparse_row>(folder.file("a.parquet"), 2, memory, kept, capacity);
      ASSERT_EQ(read.size(), rows.size());
      for (std::size_t i = 0; i < rows.size(); ++i) ASSERT_TRUE(read[i] == rows[i]) << i;
    }
  }
  EXPECT_EQ(memory.used_bytes(), 0U);
}

TEST(parquet_columns, have_missing_values_anywhere) {
  PAPPUS_NEEDS_ARROW();
  for (const unsigned one_in : {2, 20, 5000}) {
    SCOPED_TRACE(one_in);
    expect_read_back(
        sparse_rows(many, [&](auto& random, std::size_t) { return random() % one_in == 0; }));
  }
}

TEST(parquet_columns, have_long_runs_of_values_and_of_none) {
  PAPPUS_NEEDS_ARROW();
  const std::size_t runs[] = {1, 7, 8, 9, 63, 64, 65, 40'000, 90'000};
  std::vector<bool> there;
  for (std::size_t i = 0; there.size() < many; ++i)
    there.insert(there.end(), runs[i * 5 % std::size(runs)], i % 2 == 0);
  expect_read_back(sparse_rows(many, [&](auto&, std::size_t i) { return !there[i]; }));
}

TEST(parquet_columns, may_have_all_values_or_none) {
  PAPPUS_NEEDS_ARROW();
  for (const std::size_t n : {std::size_t{1}, std::size_t{8}, many}) {
    SCOPED_TRACE(n);
    expect_read_back(sparse_rows(n, [](auto&, std::size_t) { return false; }));
    expect_read_back(sparse_rows(n, [](auto&, std::size_t) { return true; }));
    expect_read_back(sparse_rows(n, [&](auto&, std::size_t i) { return i + 1 < n; }));
    expect_read_back(sparse_rows(n, [](auto&, std::size_t i) { return i > 0; }));
  }
}

/// With something between all fields.
struct padded {
  bool flag = false;
  std::int64_t number = 0;  // behind 7 bytes
  std::optional<std::int32_t> some;
  std::int16_t small = 0;
  std::int32_t middle = 0;
  std::optional<std::int64_t> large;
  std::int8_t last = 0;
};

TEST(parquet_columns, leave_nothing_of_what_memory_had_between_fields) {
  PAPPUS_NEEDS_ARROW();
  const temporary_folder folder;
  std::vector<padded> rows(5000);
  for (std::size_t i = 0; i < rows.size(); ++i)
    rows[i] = {i % 3 == 0, static_cast<std::int64_t>(i), {}, 7, 8, static_cast<std::int64_t>(i), 9};
  test_memory memory;
  write_parquet(folder.file("a.parquet"), rows, 2, memory);
  const auto layout = detail::layout_of<padded>();
  std::vector<bool> of_a_field(layout.bytes, false);
  for (const auto& column : layout.columns) {
    for (std::size_t i = 0; i < detail::cell_bytes(column.type); ++i)
      of_a_field[column.offset + i] = true;
    if (column.presence != 0) of_a_field[column.presence] = true;
  }
  ASSERT_GE(std::count(of_a_field.begin(), of_a_field.end(), false), 7 + 3 + 2 + 7);
  for (const unsigned threads : {1, 3}) {
    std::vector<std::byte> bytes(rows.size() * layout.bytes, std::byte{0xff});
    const auto reader = formats::open_parquet(folder.file("a.parquet"), layout, memory);
    test_workers team(threads);
    ASSERT_EQ(reader->read(team, bytes.data(), std::ssize(rows)), std::ssize(rows));
    for (std::size_t i = 0; i < bytes.size(); ++i)
      if (!of_a_field[i % layout.bytes]) {
        ASSERT_EQ(bytes[i], std::byte{0}) << i / layout.bytes << ", byte " << i % layout.bytes;
      }
    const auto* const read = reinterpret_cast<const padded*>(bytes.data());
    for (std::size_t i = 0; i < rows.size(); ++i) {
      ASSERT_EQ(read[i].number, rows[i].number);
      ASSERT_EQ(read[i].some, rows[i].some);
      ASSERT_EQ(read[i].large, rows[i].large);
    }
  }
}

}  // namespace
}  // namespace pappus::testing

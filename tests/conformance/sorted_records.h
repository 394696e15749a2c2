// Records of every kind that sorts tell apart, and their order.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "conformance/harness.h"

namespace pappus::testing::sorted {

/// NaN comes after every number.
template <typename T>
bool number_before(T a, T b) {
  return a < b || (b != b && a == a);
}

/// 16 bytes: moves with its key.
struct moved_reading {
  int sensor;
  float value;
  std::int64_t row;
};

inline std::vector<moved_reading> some_readings(random& numbers, std::int64_t n) {
  std::vector<moved_reading> rows;
  for (std::int64_t i = 0; i < n; ++i) {
    const auto kind = numbers.between(0, 9);
    const float value = kind == 0   ? std::numeric_limits<float>::quiet_NaN()
                        : kind == 1 ? -0.0f
                        : kind == 2 ? 0.0f
                                    : static_cast<float>(numbers.between(-5, 5));
    rows.push_back({static_cast<int>(numbers.between(-3, 3)), value, i});
  }
  return rows;
}

/// Sorted by its address.
struct long_record {
  std::array<std::uint8_t, 10> key;
  std::array<char, 82> text;
  std::int64_t a, b, c;
};

inline std::vector<long_record> some_wide_records(random& numbers, std::int64_t n) {
  std::vector<long_record> rows;
  for (std::int64_t i = 0; i < n; ++i) {
    long_record row;
    std::memset(static_cast<void*>(&row), 0, sizeof row);
    for (auto& byte : row.key) byte = static_cast<std::uint8_t>(numbers.between(254, 255));
    row.text.fill(static_cast<char>('A' + i % 26));
    row.a = numbers.between(-2, 2);
    row.b = numbers.between(INT64_MIN, INT64_MAX);
    row.c = i;
    rows.push_back(row);
  }
  return rows;
}

/// Its key is a string.
struct named {
  std::string_view name;
  std::int32_t group;
  std::int32_t row;
};

inline std::vector<std::string> some_names(random& numbers, std::int64_t n) {
  std::vector<std::string> names;
  for (std::int64_t i = 0; i < n; ++i) {
    std::string name(static_cast<std::size_t>(numbers.between(0, 3)) * 9, 'p');  // shared prefixes
    const auto length = numbers.between(0, 9);
    for (std::int64_t k = 0; k < length; ++k)
      name += std::string_view("\0aab\xff", 5)[static_cast<std::size_t>(numbers.between(0, 4))];
    names.push_back(std::move(name));
  }
  return names;
}

inline std::vector<named> rows_of(const std::vector<std::string>& names) {
  std::vector<named> rows;
  for (std::size_t i = 0; i < names.size(); ++i)
    rows.push_back({names[i], static_cast<std::int32_t>(i % 3), static_cast<std::int32_t>(i)});
  return rows;
}

}  // namespace pappus::testing::sorted

// Records with a field of each type that files of columns have.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "pappus/dates.h"

namespace pappus::testing {

/// A field of each type, and of each that may be missing.
struct every_type {
  std::int8_t i8;
  bool flag;
  std::int16_t i16;
  std::int32_t i32;
  std::int64_t i64;
  std::uint8_t u8;
  std::uint16_t u16;
  std::uint32_t u32;
  std::uint64_t u64;
  float f32;
  double f64;
  std::string_view text, few;
  date day;
  timestamp at;
  std::optional<std::int8_t> i8_or_none;
  std::optional<std::int64_t> i64_or_none;
  std::optional<double> f64_or_none;
  std::optional<bool> flag_or_none;
  std::optional<std::string_view> text_or_none;
  std::optional<date> day_or_none;
  std::optional<timestamp> at_or_none;

  bool operator==(const every_type&) const = default;
};

template <typename T>
std::optional<T> some(std::size_t i, T value) {
  return i % 3 == 1 ? std::nullopt : std::optional(value);
}

/// Record number i; texts are among `texts`, of which the first is empty.
inline every_type record_of(std::size_t i, const std::vector<std::string>& texts) {
  const auto n = static_cast<std::int64_t>(i * 2'654'435'761 % 1'000'000'007);
  const std::string_view text = texts[i % texts.size()];
  every_type r{};
  r.i8 = static_cast<std::int8_t>(n);
  r.flag = n % 5 < 2;
  r.i16 = static_cast<std::int16_t>(n);
  r.i32 = static_cast<std::int32_t>(i % 2 == 0 ? n : -n);
  r.i64 = n * (i % 2 == 0 ? 9'000'000'000 : -9'000'000'000);
  r.u8 = static_cast<std::uint8_t>(n);
  r.u16 = static_cast<std::uint16_t>(n);
  r.u32 = static_cast<std::uint32_t>(n) * 4;
  r.u64 = static_cast<std::uint64_t>(n) << 34;
  r.f32 = static_cast<float>(n) / 7;
  r.f64 = static_cast<double>(n) / -3;
  r.text = text;
  r.few = texts[i / 7 % 3];
  r.day = {static_cast<std::int32_t>(n % 40'000 - 20'000)};
  r.at = {n * 1'000'003 - 400'000'000'000'000};
  r.i8_or_none = some(i, r.i8);
  r.i64_or_none = some(i + 1, r.i64);
  r.f64_or_none = some(i + 2, r.f64);
  r.flag_or_none = some(i / 2, r.flag);
  r.text_or_none = some(i / 3, r.text);
  r.day_or_none = some(i, r.day);
  r.at_or_none = some(i + 1, r.at);
  return r;
}

inline std::vector<std::string> some_texts(std::size_t n) {
  std::vector<std::string> texts{"", "a", "ÅÆØ €"};
  while (texts.size() < n)
    texts.push_back("text " + std::to_string(texts.size()) + std::string(texts.size() % 50, 'x'));
  return texts;
}

inline std::vector<every_type> some_records(std::size_t n, const std::vector<std::string>& texts) {
  std::vector<every_type> records;
  for (std::size_t i = 0; i < n; ++i) records.push_back(record_of(i, texts));
  return records;
}

}  // namespace pappus::testing

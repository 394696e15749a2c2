// Cells of CSV text as values, where they have the form that nearly all have: integers of some
// digits, dates as 2024-02-29. What isn't understood is left to csv_cell.h.
//
// Digits are taken eight at a time, as D. Lemire, "Quickly parsing eight digits" (2018), has it:
// neighbours become numbers of two, four, eight digits by three multiplications of a whole word.
// Signs and lengths take no branch, for they aren't foreseen.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>

namespace pappus::formats {

inline std::uint64_t eight_bytes(const char* at) noexcept {
  std::uint64_t word = 0;
  std::memcpy(&word, at, sizeof word);
  return word;
}

inline bool are_digits(std::uint64_t word) noexcept {
  constexpr std::uint64_t high = 0xF0F0'F0F0'F0F0'F0F0;
  return ((word & high) | ((word + 0x0606'0606'0606'0606) & high) >> 4) == 0x3333'3333'3333'3333;
}

/// Of eight digits, the first of which is the lowest byte.
inline std::uint64_t number_of_digits(std::uint64_t word) noexcept {
  word = (word & 0x0F0F'0F0F'0F0F'0F0F) * (10 * 256 + 1) >> 8;
  word = (word & 0x00FF'00FF'00FF'00FF) * (100 * 65'536 + 1) >> 16;
  return (word & 0x0000'FFFF'0000'FFFF) * (10'000 * (std::uint64_t{1} << 32) + 1) >> 32;
}

/// The integer of up to 16 digits that these n characters are, at least one; false if they are
/// something else, or no T. Loads 8 bytes from each digit of the first eight on.
template <std::integral T>
bool quick_integer(const char* at, std::size_t n, T& value) noexcept {
  const std::size_t sign = std::is_signed_v<T> && *at == '-' ? 1 : 0;
  at += sign;
  n -= sign;
  if (n == 0 || n > 16) return false;
  const std::size_t first = n > 8 ? n - 8 : n;
  // Zeros stand before the digits. 8 * first may be 64, by which nothing may be shifted.
  const std::uint64_t zeros = 0x3030'3030'3030'3030 >> 4 * first >> 4 * first;
  const std::uint64_t word = eight_bytes(at) << (64 - 8 * first) | zeros;
  bool good = are_digits(word);
  std::uint64_t digits = number_of_digits(word);
  if (n > 8) {
    const auto last = eight_bytes(at + first);
    good &= are_digits(last);
    digits = digits * 100'000'000 + number_of_digits(last);
  }
  const auto minus = -static_cast<std::int64_t>(sign);
  const auto whole = (static_cast<std::int64_t>(digits) ^ minus) - minus;
  value = static_cast<T>(whole);
  if constexpr (sizeof(T) < 8) good &= std::int64_t{value} == whole;
  return good;
}

/// The days since 1970-01-01 of the date that these ten characters are; false if they are none.
inline bool quick_date(const char* at, std::int32_t& days) noexcept {
  const auto first = eight_bytes(at), last = eight_bytes(at + 2);
  constexpr std::uint64_t dashes = 0x2D00'002D'0000'0000, places = 0xFF00'00FF'0000'0000;
  const auto word =
      (first & 0xFFFF'FFFF) | (first >> 8 & 0xFFFF'0000'0000) | (last & 0xFFFF'0000'0000'0000);
  if ((first & places) != dashes || !are_digits(word)) return false;
  const auto number = static_cast<std::uint32_t>(number_of_digits(word));
  const std::uint32_t year = number / 10'000, month = number / 100 % 100, day = number % 100;
  if (month - 1 >= 12) return false;
  const std::uint32_t leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0 ? 1 : 0;
  constexpr std::uint16_t before[] = {0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334, 365};
  const auto begin = [&](std::uint32_t m) { return before[m] + (m > 1 ? leap : 0); };
  if (day - 1 >= begin(month) - begin(month - 1)) return false;
  // Leap days before the year, which counts from 0, itself a leap year.
  const std::uint32_t y = year - 1;
  const std::uint32_t leaps = year == 0 ? 0 : y / 4 - y / 100 + y / 400 + 1;
  constexpr std::int32_t year_zero = -719'528;  // 0000-01-01
  days = year_zero + static_cast<std::int32_t>(365 * year + leaps + begin(month - 1) + day - 1);
  return true;
}

}  // namespace pappus::formats

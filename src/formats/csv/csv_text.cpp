#include "formats/csv/csv_text.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <cstring>
#include <string>

#include "pappus/columns.h"
#include "pappus/error.h"
#include "pappus/time_format.h"

namespace pappus::formats {
namespace {

using detail::cell;

template <typename T>
T load(const std::byte* at) noexcept {
  T value;
  std::memcpy(&value, at, sizeof(T));
  return value;
}

char* literal(std::string_view text, char* at) noexcept { return std::ranges::copy(text, at).out; }

template <typename T>
char* number(const std::byte* value, char* at) noexcept {
  const T x = load<T>(value);
  if constexpr (std::floating_point<T>) {
    if (std::isnan(x)) return literal("nan", at);
  }
  return std::to_chars(at, at + value_bytes_max, x).ptr;
}

char* digits(std::int64_t value, int count, char* at) noexcept {
  for (int i = count - 1; i >= 0; --i, value /= 10) at[i] = static_cast<char>('0' + value % 10);
  return at + count;
}

char* print_date(date day, char* at) {
  check_printable(day);
  at = digits(day.year(), 4, at);
  *at++ = '-';
  at = digits(day.month(), 2, at);
  *at++ = '-';
  return digits(day.day(), 2, at);
}

char* print_timestamp(timestamp moment, char* at) {
  constexpr std::int64_t second = 1'000'000;
  const date day = moment.date();
  const std::int64_t micros = moment.micros - day.days * (86'400 * second);
  at = print_date(day, at);
  *at++ = ' ';
  at = digits(micros / (3600 * second), 2, at);
  *at++ = ':';
  at = digits(micros / (60 * second) % 60, 2, at);
  *at++ = ':';
  at = digits(micros / second % 60, 2, at);
  if (micros % second == 0) return at;
  *at++ = '.';
  return digits(micros % second, 6, at);
}

}  // namespace

void check_printable(date day) {
  if (!time_format::can_print(day))
    throw format_error("csv: expected a date in the years 0 to 9999, got day " +
                       std::to_string(day.days) + " after 1970-01-01");
}

char* print_value(cell type, const std::byte* value, char* at) {
  switch (type) {
    case cell::i8:
      return number<std::int8_t>(value, at);
    case cell::i16:
      return number<std::int16_t>(value, at);
    case cell::i32:
      return number<std::int32_t>(value, at);
    case cell::i64:
      return number<std::int64_t>(value, at);
    case cell::u8:
      return number<std::uint8_t>(value, at);
    case cell::u16:
      return number<std::uint16_t>(value, at);
    case cell::u32:
      return number<std::uint32_t>(value, at);
    case cell::u64:
      return number<std::uint64_t>(value, at);
    case cell::f32:
      return number<float>(value, at);
    case cell::f64:
      return number<double>(value, at);
    case cell::boolean:
      return literal(load<std::uint8_t>(value) != 0 ? "true" : "false", at);
    case cell::date:
      return print_date(load<date>(value), at);
    case cell::timestamp:
      return print_timestamp(load<timestamp>(value), at);
    case cell::string:
    case cell::category:
    case cell::list:
      break;
  }
  return at;
}

char* print_text(std::string_view text, char delimiter, char* at) noexcept {
  const char special[] = {delimiter, '"', '\n', '\r'};
  const bool quoted = text.find_first_of(std::string_view(special, sizeof(special))) != text.npos;
  return quoted ? print_quoted(text, at) : literal(text, at);
}

char* print_quoted(std::string_view text, char* at) noexcept {
  *at++ = '"';
  for (const char c : text) {
    if (c == '"') *at++ = '"';
    *at++ = c;
  }
  *at++ = '"';
  return at;
}

}  // namespace pappus::formats

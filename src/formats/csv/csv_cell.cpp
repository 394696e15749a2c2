#include "formats/csv/csv_cell.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <cstring>
#include <limits>
#include <optional>
#include <system_error>

#include "base/text.h"
#include "pappus/str.h"

namespace pappus::formats {
namespace {

using detail::cell;

template <typename T>
cell_outcome store(T value, std::byte* out) noexcept {
  std::memcpy(out, &value, sizeof(T));
  return cell_outcome::good;
}

// from_chars has no '+'; "+-1" must not slip through.
bool drop_plus(std::string_view& text) noexcept {
  if (text.empty() || text.front() != '+') return true;
  text.remove_prefix(1);
  return !text.empty() && text.front() != '-';
}

// Whether a decimal that no float can hold is too small rather than too large.
bool vanishes(std::string_view text) noexcept {
  const std::size_t mark = std::min(text.find_first_of("eE"), text.size());
  auto written = text.substr(std::min(mark + 1, text.size()));
  if (written.starts_with('+')) written.remove_prefix(1);
  std::int64_t exponent = 0;
  const auto [end, code] =
      std::from_chars(written.data(), written.data() + written.size(), exponent);
  if (code == std::errc::result_out_of_range) return written.starts_with('-');
  // Of the first digit that counts, 1 where it stands right before the point.
  const auto digits = text.substr(0, mark);
  const auto point = static_cast<std::int64_t>(std::min(digits.find('.'), digits.size()));
  const auto first = static_cast<std::int64_t>(digits.find_first_of("123456789"));
  return exponent + point - first + (first < point ? 0 : 1) <= 0;
}

template <std::integral T>
cell_outcome parse_number(std::string_view text, std::byte* out) noexcept {
  T value = 0;
  // An unsigned type rejects '-' as a syntax error; to the user it is a number out of range.
  if constexpr (std::is_unsigned_v<T>) {
    std::int64_t negative = 0;
    if (text.starts_with('-')) {
      const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), negative);
      if (end != text.data() + text.size() || code == std::errc::invalid_argument) {
        return cell_outcome::malformed;
      }
      return code == std::errc{} && negative == 0 ? store(value, out) : cell_outcome::out_of_range;
    }
  }
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (end != text.data() + text.size() || code == std::errc::invalid_argument) {
    return cell_outcome::malformed;
  }
  return code == std::errc{} ? store(value, out) : cell_outcome::out_of_range;
}

template <std::floating_point T>
cell_outcome parse_number(std::string_view text, std::byte* out) noexcept {
  if (text.empty()) return store(std::numeric_limits<T>::quiet_NaN(), out);
  T value = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (end != text.data() + text.size() || code == std::errc::invalid_argument) {
    return cell_outcome::malformed;
  }
  if (code == std::errc{}) return store(value, out);
  if (!vanishes(text)) return cell_outcome::out_of_range;
  return store(std::copysign(T{0}, text.starts_with('-') ? T{-1} : T{1}), out);
}

template <typename T>
cell_outcome number(std::string_view text, std::byte* out) noexcept {
  return drop_plus(text) ? parse_number<T>(text, out) : cell_outcome::malformed;
}

// Exactly `digits` decimal digits at the front of `text`, which are removed.
std::optional<int> take_digits(std::string_view& text, std::size_t digits) noexcept {
  if (text.size() < digits) return std::nullopt;
  int value = 0;
  for (std::size_t i = 0; i < digits; ++i) {
    if (text[i] < '0' || text[i] > '9') return std::nullopt;
    value = value * 10 + (text[i] - '0');
  }
  text.remove_prefix(digits);
  return value;
}

bool take(std::string_view& text, char wanted) noexcept {
  if (!text.starts_with(wanted)) return false;
  text.remove_prefix(1);
  return true;
}

// Days since 1970-01-01 of the YYYY-MM-DD at the front of `text`, which is removed.
std::optional<std::int32_t> take_date(std::string_view& text) noexcept {
  constexpr std::size_t length = 10;
  const auto day = str::parse<pappus::date>(text.substr(0, length));
  if (!day) return std::nullopt;
  text.remove_prefix(length);
  return day->days;
}

// Microseconds of the HH:MM:SS[.ffffff] at the front of `text`, which is removed.
std::optional<std::int64_t> take_time(std::string_view& text) noexcept {
  const auto hours = take_digits(text, 2);
  if (!hours || *hours > 23 || !take(text, ':')) return std::nullopt;
  const auto minutes = take_digits(text, 2);
  if (!minutes || *minutes > 59 || !take(text, ':')) return std::nullopt;
  const auto seconds = take_digits(text, 2);
  if (!seconds || *seconds > 59) return std::nullopt;
  std::int64_t micros = (*hours * 60 + *minutes) * 60 + *seconds;
  std::size_t digits = 0;
  if (take(text, '.')) {
    for (; digits < 6; ++digits) {
      const auto digit = take_digits(text, 1);
      if (!digit) break;
      micros = micros * 10 + *digit;
    }
    if (digits == 0) return std::nullopt;
  }
  for (; digits < 6; ++digits) micros *= 10;
  return micros;
}

cell_outcome date(std::string_view text, std::byte* out) noexcept {
  const auto days = take_date(text);
  return days && text.empty() ? store(*days, out) : cell_outcome::malformed;
}

cell_outcome timestamp(std::string_view text, std::byte* out) noexcept {
  const auto days = take_date(text);
  if (!days || !(take(text, ' ') || take(text, 'T'))) return cell_outcome::malformed;
  const auto micros = take_time(text);
  if (!micros) return cell_outcome::malformed;
  take(text, 'Z');
  if (!text.empty()) return cell_outcome::malformed;
  return store(*days * std::int64_t{86'400'000'000} + *micros, out);
}

cell_outcome boolean(std::string_view text, std::byte* out) noexcept {
  if (text == "1" || text == "true" || text == "True" || text == "TRUE") return store(true, out);
  if (text == "0" || text == "false" || text == "False" || text == "FALSE") {
    return store(false, out);
  }
  return cell_outcome::malformed;
}

template <typename T>
std::string range() {
  return std::to_string(std::numeric_limits<T>::min()) + " to " +
         std::to_string(std::numeric_limits<T>::max());
}

}  // namespace

cell_outcome parse_cell(cell type, std::string_view text, std::byte* out) noexcept {
  text = base::trimmed(text);
  switch (type) {
    case cell::i8:
      return number<std::int8_t>(text, out);
    case cell::i16:
      return number<std::int16_t>(text, out);
    case cell::i32:
      return number<std::int32_t>(text, out);
    case cell::i64:
      return number<std::int64_t>(text, out);
    case cell::u8:
      return number<std::uint8_t>(text, out);
    case cell::u16:
      return number<std::uint16_t>(text, out);
    case cell::u32:
      return number<std::uint32_t>(text, out);
    case cell::u64:
      return number<std::uint64_t>(text, out);
    case cell::f32:
      return number<float>(text, out);
    case cell::f64:
      return number<double>(text, out);
    case cell::boolean:
      return boolean(text, out);
    case cell::date:
      return date(text, out);
    case cell::timestamp:
      return timestamp(text, out);
    case cell::string:
    case cell::category:
    case cell::list:
      break;
  }
  return cell_outcome::malformed;
}

std::string_view expected_of(cell type) noexcept {
  switch (type) {
    case cell::i8:
      return "an 8-bit integer";
    case cell::i16:
      return "a 16-bit integer";
    case cell::i32:
      return "a 32-bit integer";
    case cell::i64:
      return "a 64-bit integer";
    case cell::u8:
      return "an unsigned 8-bit integer";
    case cell::u16:
      return "an unsigned 16-bit integer";
    case cell::u32:
      return "an unsigned 32-bit integer";
    case cell::u64:
      return "an unsigned 64-bit integer";
    case cell::f32:
    case cell::f64:
      return "a number";
    case cell::boolean:
      return "true, false, 0 or 1";
    case cell::date:
      return "a date like 2024-02-29";
    case cell::timestamp:
      return "a time like 2024-02-29 13:45:00.5";
    case cell::string:
    case cell::category:
    case cell::list:
      break;
  }
  return "text";
}

std::string range_of(cell type) {
  switch (type) {
    case cell::i8:
      return range<std::int8_t>();
    case cell::i16:
      return range<std::int16_t>();
    case cell::i32:
      return range<std::int32_t>();
    case cell::i64:
      return range<std::int64_t>();
    case cell::u8:
      return range<std::uint8_t>();
    case cell::u16:
      return range<std::uint16_t>();
    case cell::u32:
      return range<std::uint32_t>();
    case cell::u64:
      return range<std::uint64_t>();
    default:
      return "";
  }
}

std::string shown(std::string_view text) {
  constexpr std::size_t most = 40;
  std::size_t length = text.size();
  if (length > most) {
    length = most;
    // Don't cut a UTF-8 character in two.
    while (length > 0 && (static_cast<unsigned char>(text[length]) & 0xC0) == 0x80) --length;
  }
  std::string result = "\"";
  for (const char c : text.substr(0, length)) {
    if (c == '\n') {
      result += "\\n";
    } else if (c == '\r') {
      result += "\\r";
    } else if (c == '\t') {
      result += "\\t";
    } else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) {
      result += '?';
    } else {
      result += c;
    }
  }
  result += '"';
  if (length < text.size()) result += "... (" + std::to_string(text.size()) + " bytes)";
  return result;
}

}  // namespace pappus::formats

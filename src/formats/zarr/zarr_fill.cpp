#include "formats/zarr/zarr_fill.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <string_view>
#include <utility>

namespace pappus::formats {
namespace {

using detail::cell;

template <typename T>
std::vector<std::byte> bytes_of(T value) {
  std::vector<std::byte> bytes(sizeof value);
  std::memcpy(bytes.data(), &value, sizeof value);
  return bytes;
}

template <typename Integer>
std::vector<std::byte> integer_fill(const json_view& fill) {
  const auto& value = fill.value();
  if (value.is_number_unsigned()) {
    const auto number = value.get<std::uint64_t>();
    if (std::in_range<Integer>(number)) return bytes_of(static_cast<Integer>(number));
  } else if (value.is_number_integer()) {
    const auto number = value.get<std::int64_t>();
    if (std::in_range<Integer>(number)) return bytes_of(static_cast<Integer>(number));
  } else if (value.is_number_float()) {  // 1.0 is written by some
    const auto number = value.get<double>();
    constexpr double exact = 0x1p53;
    if (std::abs(number) <= exact && number == std::trunc(number) &&
        std::in_range<Integer>(static_cast<std::int64_t>(number))) {
      return bytes_of(static_cast<Integer>(number));
    }
  }
  fill.fail("a whole number of " + std::to_string(8 * sizeof(Integer)) + " bits");
}

/// "0x7fc00000": all bits of the number, the highest first.
template <typename Float, typename Bits>
std::vector<std::byte> bits_fill(const json_view& fill, std::string_view digits) {
  Bits bits = 0;
  const char* end = digits.data() + digits.size();
  const auto [stopped, code] = std::from_chars(digits.data(), end, bits, 16);
  if (digits.size() != 2 * sizeof(Bits) || code != std::errc{} || stopped != end) {
    fill.fail("0x and " + std::to_string(2 * sizeof(Bits)) + " hexadecimal digits");
  }
  return bytes_of(bits);
}

template <typename Float, typename Bits>
std::vector<std::byte> float_fill(const json_view& fill) {
  using limits = std::numeric_limits<Float>;
  const auto& value = fill.value();
  if (value.is_string()) {
    const auto text = value.get<std::string>();
    if (text == "NaN") return bytes_of(limits::quiet_NaN());
    if (text == "Infinity") return bytes_of(limits::infinity());
    if (text == "-Infinity") return bytes_of(-limits::infinity());
    if (text.starts_with("0x")) {
      return bits_fill<Float, Bits>(fill, std::string_view(text).substr(2));
    }
  } else if (value.is_number()) {
    const auto number = value.get<double>();
    if (std::abs(number) <= static_cast<double>(limits::max())) {
      return bytes_of(static_cast<Float>(number));
    }
  }
  fill.fail("a number of " + std::to_string(8 * sizeof(Float)) +
            " bits, \"NaN\", \"Infinity\" or \"-Infinity\"");
}

std::vector<std::byte> scalar_fill(const json_view& fill, cell type) {
  switch (type) {
    case cell::boolean:
      if (fill.value().is_boolean()) return bytes_of(fill.value().get<bool>());
      if (fill.value() == 0 || fill.value() == 1) return bytes_of(fill.value() == 1);
      fill.fail("true or false");
    case cell::i8:
      return integer_fill<std::int8_t>(fill);
    case cell::i16:
      return integer_fill<std::int16_t>(fill);
    case cell::i32:
    case cell::date:
      return integer_fill<std::int32_t>(fill);
    case cell::i64:
    case cell::timestamp:
      return integer_fill<std::int64_t>(fill);
    case cell::u8:
      return integer_fill<std::uint8_t>(fill);
    case cell::u16:
      return integer_fill<std::uint16_t>(fill);
    case cell::u32:
      return integer_fill<std::uint32_t>(fill);
    case cell::u64:
      return integer_fill<std::uint64_t>(fill);
    case cell::f32:
      return float_fill<float, std::uint32_t>(fill);
    case cell::f64:
      return float_fill<double, std::uint64_t>(fill);
    case cell::string:
    case cell::category:
    case cell::list:
      break;
  }
  fill.fail("a number");
}

std::vector<std::byte> base64_fill(const json_view& fill, std::size_t bytes) {
  constexpr std::string_view alphabet =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::vector<std::byte> result;
  std::string text = fill.value().is_string() ? fill.text() : "";
  while (text.ends_with('=')) text.pop_back();
  std::uint32_t bits = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const std::size_t digit = alphabet.find(text[i]);
    if (digit == alphabet.npos) break;
    bits = bits << 6 | static_cast<std::uint32_t>(digit);
    if (i % 4 != 0) result.push_back(static_cast<std::byte>(bits >> (6 - 2 * (i % 4))));
  }
  if (result.size() != bytes) {
    fill.fail("null, 0, or " + std::to_string(bytes) + " bytes in base64");
  }
  return result;
}

}  // namespace

std::vector<std::byte> parse_fill(const json_view& value, const array_item& item) {
  const std::vector<std::byte> zero(item.bytes);
  if (value.value().is_null()) return zero;
  if (item.structured) return value.value() == 0 ? zero : base64_fill(value, item.bytes);
  const npy_field& scalar = item.fields[0];
  if (!scalar.type) return zero;
  auto bytes = scalar_fill(value, *scalar.type);
  if (scalar.swapped) std::ranges::reverse(bytes);
  return bytes;
}

}  // namespace pappus::formats

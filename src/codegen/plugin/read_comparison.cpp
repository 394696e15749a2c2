#include "codegen/plugin/read_comparison.h"

#include <cstdint>
#include <string>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "codegen/plugin/read_footprint.h"

namespace pappus::codegen {
namespace {

using nlohmann::json;

/// One of the values that have these names.
template <typename T, std::size_t N>
T named(const json& from, const std::pair<const char*, T> (&names)[N]) {
  const std::string name = from;
  for (const auto& [text, value] : names)
    if (name == text) return value;
  throw malformed(fmt::format("expected how something is compared, got \"{}\"", name));
}

base::relation relation_of(const json& from) {
  constexpr std::pair<const char*, base::relation> names[] = {
      {"<", base::relation::less},      {"<=", base::relation::at_most},
      {">=", base::relation::at_least}, {">", base::relation::greater},
      {"==", base::relation::equal},    {"!=", base::relation::unequal}};
  return named(from, names);
}

comparison::step::kind kind_of(const json& from) {
  using kind = comparison::step::kind;
  constexpr std::pair<const char*, kind> names[] = {{"sign", kind::sign},
                                                    {"zeros", kind::zeros},
                                                    {"add", kind::add},
                                                    {"multiply", kind::multiply}};
  return named(from, names);
}

std::size_t bytes_of(const json& from) {
  const std::size_t bytes = from;
  if (bytes != 1 && bytes != 2 && bytes != 4 && bytes != 8)
    throw malformed(fmt::format("\"bytes\": expected 1, 2, 4 or 8, got {}", bytes));
  return bytes;
}

unsigned bits_of(const json& from, std::size_t least_bytes) {
  const unsigned bits = from;
  if ((bits != 8 && bits != 16 && bits != 32 && bits != 64) || bits < 8 * least_bytes)
    throw malformed(
        fmt::format("\"bits\": expected those of {} bytes or more, got {}", least_bytes, bits));
  return bits;
}

std::uint64_t number_of(const json& from) {
  return static_cast<std::uint64_t>(from.get<std::int64_t>());
}

comparison::text_value read_text_of(const json& from) {
  comparison::text_value text{.whole = from.at("whole")};
  if (from.contains("captured")) {
    const auto& captured = from.at("captured");
    text.captured = {captured.at("pointer"), captured.at("size")};
  } else {
    for (const auto& byte : from.at("text"))
      text.bytes += static_cast<char>(byte.get<std::uint8_t>());
  }
  return text;
}

}  // namespace

comparison read_comparison(const json& from) {
  comparison one;
  one.parameter = from.at("parameter");
  one.field.offset = from.at("offset");
  one.field.bytes = bytes_of(from.at("bytes"));
  if (from.contains("whole")) {
    one.text = read_text_of(from);
    return one;
  }
  one.floating = from.at("floating");
  one.is = relation_of(from.at("is"));
  if (!one.floating) {
    one.field.bits = bits_of(from.at("bits"), one.field.bytes);
    one.field.sign_extended = from.at("sign_extended");
    one.field.addend = number_of(from.at("addend"));
    one.field.signed_order = from.at("signed");
  }
  if (!from.contains("captured")) {
    one.value = number_of(from.at("value"));
    return one;
  }
  const auto& captured = from.at("captured");
  one.captured = {captured.at("offset"), bytes_of(captured.at("bytes"))};
  for (const auto& step : captured.at("steps"))
    one.captured->steps.push_back(
        {kind_of(step.at(0)), number_of(step.at(1)), bits_of(step.at(2), 1)});
  return one;
}

}  // namespace pappus::codegen

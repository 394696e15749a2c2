// Results of Pappus as JSON: an array a record, whose fields' fields lie flat in it. Dates are days
// and timestamps microseconds, as the driver makes them of the oracle's.
#pragma once

#include <array>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>

#include <fmt/format.h>

#include "pappus/pappus.h"

namespace pappus::oracle {

void add_json_text(std::string& to, std::string_view text);

class answer {
 public:
  template <typename Records>
  void add(const Records& records) {
    for (const auto& one : records) add_row(one);
  }
  template <typename T>
  void add_row(const T& record) {
    text_ += text_.empty() ? "[" : ",[";
    first_ = true;
    cell(record);
    text_ += ']';
  }
  std::string json() const { return "[" + text_ + "]"; }

 private:
  template <typename T>
  void cell(const T& value) {
    if constexpr (std::same_as<T, bool>)
      literal(value ? "true" : "false");
    else if constexpr (std::integral<T>)
      literal(std::to_string(value));
    else if constexpr (std::floating_point<T>)
      literal(std::isnan(value)   ? "NaN"
              : std::isinf(value) ? (value < 0 ? "-Infinity" : "Infinity")
                                  : fmt::format("{:.17e}", value));
    else if constexpr (std::same_as<T, date>)
      literal(std::to_string(value.days));
    else if constexpr (std::same_as<T, timestamp>)
      literal(std::to_string(value.micros));
    else if constexpr (std::same_as<T, std::string_view>)
      quoted_cell(value);
    else if constexpr (requires { value.has_value(); })
      value ? cell(*value) : literal("null");
    else if constexpr (requires { value.begin(); })
      for (const auto& one : value) cell(one);
    else
      fields_of(value);
  }
  template <typename T>
  void fields_of(const T& value) {
    auto each = [&](const auto&... fields) { (cell(fields), ...); };
    detail::field_visitor<detail::field_count<T>()>::call(value, each);
  }
  void literal(std::string_view made) {
    if (!first_) text_ += ',';
    first_ = false;
    text_ += made;
  }
  void quoted_cell(std::string_view made) {
    std::string quoted;
    add_json_text(quoted, made);
    literal(quoted);
  }

  std::string text_;
  bool first_ = true;
};

template <typename Query>
std::string answer_of(const Query& query) {
  answer made;
  made.add(query.collect());
  return made.json();
}
template <typename Value>
std::string answer_of_one(const Value& value) {
  answer made;
  made.add_row(value.get());
  return made.json();
}

}  // namespace pappus::oracle

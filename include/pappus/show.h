// Rows for people to look at:
//
//     flights.show();                          // the first 20, aligned, with names and types
//     std::cout << flights.collect();          // the same of rows that are there
//     std::cout << groups.front() << "\n";     // (AB, 12.5)
//
// Fields have the names that their struct gives them. Fields of fields are columns of their own:
// "value.mean". Lists and arrays are in brackets, arrays of char text up to the first 0. What is
// missing is "null", what Pappus can't look into "?".
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <iostream>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "pappus/argmax.h"
#include "pappus/category.h"
#include "pappus/columns.h"
#include "pappus/detail/base/field_names.h"
#include "pappus/detail/base/missing.h"
#include "pappus/detail/base/record_text.h"
#include "pappus/detail/base/table_text.h"
#include "pappus/list.h"
#include "pappus/query.h"
#include "pappus/records.h"
#include "pappus/results.h"
#include "pappus/value.h"

namespace pappus {
namespace detail {

template <typename T>
inline constexpr bool is_moment = std::is_same_v<T, date> || std::is_same_v<T, timestamp>;

/// Whether T is shown as columns for its fields.
template <typename T>
constexpr bool shown_by_fields() {
  if constexpr (std::is_arithmetic_v<T> || std::is_enum_v<T> || is_moment<T> || is_std_array<T> ||
                string_key<T> || is_category<T> || is_list<T>)
    return false;
  else
    return field_count<present<T>>() > 0 && !is_moment<present<T>> && !is_std_array<present<T>>;
}

/// Without the namespaces that it is in.
template <typename T>
constexpr std::string_view own_name() {
  constexpr auto name = type_name<T>();
  if (name.find('<') != name.npos) return name;
  const auto at = name.rfind("::");
  return at == name.npos ? name : name.substr(at + 2);
}

template <typename T>
constexpr std::string_view shown_type() {
  if constexpr (std::is_same_v<T, bool>)
    return "bool";
  else if constexpr (std::is_same_v<T, char> || std::is_same_v<T, std::string_view>)
    return "text";
  else if constexpr (std::is_integral_v<T> && sizeof(T) <= 8) {
    constexpr std::string_view names[] = {"i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64"};
    return names[(std::is_signed_v<T> ? 0 : 4) + std::countr_zero(sizeof(T))];
  } else if constexpr (std::is_floating_point_v<T>)
    return sizeof(T) == 4 ? "f32" : "f64";
  else if constexpr (is_category<T>)
    return "category";
  else if constexpr (std::is_same_v<T, date>)
    return "date";
  else if constexpr (std::is_same_v<T, timestamp>)
    return "timestamp";
  else if constexpr (is_std_array<T> || may_be_missing<T> || is_list<T>)
    return shown_type<typename T::value_type>();
  else
    return own_name<T>();
}

template <typename T>
std::string shown_text(const T& value);

template <typename T>
std::string shown_elements(const T& all) {
  std::string text = "[";
  for (std::size_t i = 0; i < all.size(); ++i)
    text.append(i > 0 ? ", " : "").append(shown_text(all[i]));
  return text.append("]");
}

/// Of a value that isn't shown by its fields, or of all of them in parentheses.
template <typename T>
std::string shown_text(const T& value) {
  if constexpr (may_be_missing<T>)
    return value ? shown_text(*value) : "null";
  else if constexpr (std::is_same_v<T, bool>)
    return value ? "true" : "false";
  else if constexpr (std::is_same_v<T, char>)
    return text_of_text({&value, 1});
  else if constexpr (std::is_same_v<T, std::string_view>)
    return text_of_text(value);
  else if constexpr (is_category<T>)
    return text_of_text(value.text());
  else if constexpr (std::is_enum_v<T>)
    return shown_text(static_cast<std::underlying_type_t<T>>(value));
  else if constexpr (std::is_floating_point_v<T>)
    return text_of_number(static_cast<double>(value));
  else if constexpr (std::is_integral_v<T> && sizeof(T) > 8)
    return "?";
  else if constexpr (std::is_integral_v<T> && std::is_signed_v<T>)
    return text_of_number(static_cast<std::int64_t>(value));
  else if constexpr (std::is_integral_v<T>)
    return text_of_number(static_cast<std::uint64_t>(value));
  else if constexpr (std::is_same_v<T, date>)
    return text_of_date(value.days);
  else if constexpr (std::is_same_v<T, timestamp>)
    return text_of_timestamp(value.micros);
  else if constexpr (is_std_array<T>) {
    if constexpr (std::is_same_v<typename T::value_type, char>) {
      const std::string_view all(value.data(), value.size());
      return text_of_text(all.substr(0, all.find('\0')));
    } else {
      return shown_elements(value);
    }
  } else if constexpr (is_list<T>) {
    return shown_elements(value);
  } else if constexpr (constexpr auto count = field_count<T>(); count > 0) {
    std::string text = "(";
    visit_fields<count>(value, [&](const auto&... fields) {
      ((text.append(text.size() > 1 ? ", " : "").append(shown_text(fields))), ...);
    });
    return text.append(")");
  } else {
    return "?";
  }
}

/// Of fields; their numbers where these have no names.
template <typename T>
std::vector<std::string> shown_names() {
  constexpr auto known = names_of_fields<T>();
  std::vector<std::string> names(known.begin(), known.end());
  for (std::size_t i = 0; i < names.size(); ++i)
    if (names[i].empty()) names[i] = std::to_string(i);
  return names;
}

/// Appends the columns of a T called so; of rows themselves `name` is empty.
template <typename T>
void add_shown_columns(std::vector<shown_column>& to, const std::string& name) {
  if constexpr (shown_by_fields<T>()) {
    using fields = present<T>;
    const auto names = shown_names<fields>();
    const auto prefix = name.empty() ? std::string() : name + ".";
    std::size_t i = 0;
    visit_fields<field_count<fields>()>(
        zero_record<fields>(), [&]<typename... Field>(const Field&...) {
          (add_shown_columns<Field>(to, std::string(prefix).append(names[i++])), ...);
        });
  } else {
    using plain = present<T>;
    constexpr bool is_number =
        std::is_arithmetic_v<plain> && !std::is_same_v<plain, bool> && !std::is_same_v<plain, char>;
    to.push_back({name.empty() ? "value" : name, std::string(shown_type<T>()), is_number});
  }
}

/// Appends a row to the columns from `next` on.
template <typename T>
void add_shown_cells(std::vector<shown_column>& to, std::size_t& next, const T& value) {
  if constexpr (shown_by_fields<T>() && may_be_missing<T>)
    if (value)
      add_shown_cells(to, next, *value);
    else
      visit_fields<field_count<present<T>>()>(
          zero_record<present<T>>(), [&]<typename... Field>(const Field&...) {
            (add_shown_cells(to, next, std::optional<present<Field>>()), ...);
          });
  else if constexpr (shown_by_fields<T>())
    visit_fields<field_count<T>()>(
        value, [&](const auto&... fields) { (add_shown_cells(to, next, fields), ...); });
  else
    to[next++].cells.push_back(shown_text(value));
}

template <typename T>
std::string shown_rows(const T* rows, std::size_t n, std::size_t width) {
  std::vector<shown_column> columns;
  add_shown_columns<T>(columns, "");
  for (std::size_t i = 0; i < n; ++i) {
    std::size_t next = 0;
    add_shown_cells(columns, next, rows[i]);
  }
  return table_text(columns, width);
}

}  // namespace detail

inline std::ostream& operator<<(std::ostream& to, const date& day) {
  return to << detail::shown_text(day);
}
inline std::ostream& operator<<(std::ostream& to, category of) {
  return to << detail::shown_text(of);
}
inline std::ostream& operator<<(std::ostream& to, const timestamp& moment) {
  return to << detail::shown_text(moment);
}
template <typename T>
std::ostream& operator<<(std::ostream& to, const list<T>& items) {
  return to << detail::shown_text(items);
}
template <typename A, typename B>
std::ostream& operator<<(std::ostream& to, const pair<A, B>& both) {
  return to << detail::shown_text(both);
}
template <typename T>
std::ostream& operator<<(std::ostream& to, const indexed<T>& row) {
  return to << detail::shown_text(row);
}
template <typename K, typename V>
std::ostream& operator<<(std::ostream& to, const keyed<K, V>& group) {
  return to << detail::shown_text(group);
}
template <typename... Ts>
std::ostream& operator<<(std::ostream& to, const results<Ts...>& all) {
  return to << detail::shown_text(all);
}
namespace reducers {
template <typename Value, typename Arg>
std::ostream& operator<<(std::ostream& to, const extreme<Value, Arg>& found) {
  return to << detail::shown_text(found);
}
}  // namespace reducers

/// A value of what can be printed, once it is computed.
template <typename T>
  requires(std::is_class_v<T> && requires(std::ostream& to, const T& x) { to << x; })
std::ostream& operator<<(std::ostream& to, const value<T>& computed) {
  return to << computed.get();
}

/// What may be missing, once it is computed.
template <typename T>
std::ostream& operator<<(std::ostream& to, const value<std::optional<T>>& computed) {
  return to << detail::shown_text(computed.get());
}

/// A table of the first 20 rows, and how many there are.
template <typename T>
std::ostream& operator<<(std::ostream& to, const records<T>& all) {
  constexpr std::size_t most = 20;
  const auto n = all.size() < most ? all.size() : most;
  to << detail::shown_rows(all.data(), n, &to == &std::cout ? detail::terminal_width() : 0);
  if (n < all.size()) to << n << " of ";
  return to << all.size() << (all.size() == 1 ? " row\n" : " rows\n");
}

template <typename E>
void query<E>::show(std::int64_t rows) const {
  const auto most = rows < 0 ? 0 : rows;
  const auto some = take(most < INT64_MAX ? most + 1 : most).collect();
  const auto there = static_cast<std::int64_t>(some.size());
  const auto n = there < most ? there : most;
  std::cout << detail::shown_rows(some.data(), static_cast<std::size_t>(n),
                                  detail::terminal_width());
  std::cout << (n < there ? "the first " : "") << n << (n == 1 ? " row\n" : " rows\n");
}

}  // namespace pappus

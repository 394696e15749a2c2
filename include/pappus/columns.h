// Binds the columns of a file to the fields of a record.
//
// The offset of a member pointer is found by applying it to a real object. std::bit_cast makes one
// out of zero bytes for any trivially copyable record, default constructible or not, so no rule of
// the language is bent as offsetof tricks do.
//
// Without names the fields are found by structured bindings, up to fields_max of them; columns of
// CSV files are called as they are.
// Not here: nested records and longer ones, whose layout is their size alone.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "pappus/bad_rows.h"
#include "pappus/category.h"
#include "pappus/dates.h"
#include "pappus/detail/base/columns.h"
#include "pappus/detail/base/field_names.h"
#include "pappus/detail/base/fields.h"
#include "pappus/detail/base/missing.h"
#include "pappus/detail/base/record_text.h"
#include "pappus/detail/base/refused.h"

namespace pappus {

namespace detail {

template <typename Field>
struct field_traits {
  static constexpr bool is_cell = false;
};

template <cell Type, std::size_t Count = 1>
struct known_field {
  static constexpr bool is_cell = true;
  static constexpr cell type = Type;
  static constexpr std::size_t count = Count;
  static constexpr cell item = Type;  // of a list that of its items
};

template <typename Field>
  requires(std::integral<Field> && sizeof(Field) <= 8 && !std::same_as<Field, bool> &&
           !std::same_as<Field, char> && !std::same_as<Field, wchar_t> &&
           !std::same_as<Field, char8_t> && !std::same_as<Field, char16_t> &&
           !std::same_as<Field, char32_t>)
struct field_traits<Field> : known_field<static_cast<cell>((std::is_signed_v<Field> ? 0 : 4) +
                                                           std::countr_zero(sizeof(Field)))> {};

template <>
struct field_traits<float> : known_field<cell::f32> {};
template <>
struct field_traits<double> : known_field<cell::f64> {};
template <>
struct field_traits<bool> : known_field<cell::boolean> {};
template <>
struct field_traits<std::string_view> : known_field<cell::string> {};
template <>
struct field_traits<category> : known_field<cell::category> {};
template <>
struct field_traits<date> : known_field<cell::date> {};
template <>
struct field_traits<timestamp> : known_field<cell::timestamp> {};
template <typename Element, std::size_t Count>
  requires(field_traits<Element>::is_cell && !is_list<Element> && Count > 0)
struct field_traits<std::array<Element, Count>>
    : known_field<field_traits<Element>::type, Count * field_traits<Element>::count> {};

template <typename Value>
  requires(field_traits<Value>::is_cell && field_traits<Value>::count == 1)
struct field_traits<std::optional<Value>> : known_field<field_traits<Value>::type> {
  static constexpr cell item = field_traits<Value>::item;
};

template <typename Record>
concept fileable = std::is_trivially_copyable_v<Record> && std::is_object_v<Record>;

template <typename Field>
column_binding binding_of(std::string name, const void* record, const Field& field) {
  using traits = field_traits<Field>;
  const auto* begin = static_cast<const std::byte*>(record);
  const auto* at = reinterpret_cast<const std::byte*>(std::addressof(field));
  const auto offset = static_cast<std::size_t>(at - begin);
  column_binding bound{std::move(name), traits::type, offset, traits::count};
  bound.item = traits::item;
  if constexpr (may_be_missing<Field>) bound.presence = offset + presence_at<present<Field>>();
  return bound;
}

/// The layout of a record, by its type. No columns where its fields can't be found.
template <fileable Record>
record_layout layout_of() {
  record_layout layout{sizeof(Record), {}};
  if constexpr (field_traits<Record>::is_cell) {
    const Record record = zero_record<Record>();
    layout.columns.push_back(binding_of("", &record, record));
  } else if constexpr (constexpr std::size_t count = field_count<Record>(); count > 0) {
    const Record record = zero_record<Record>();
    visit_fields<count>(record, [&]<typename... Field>(const Field&... field) {
      if constexpr ((field_traits<Field>::is_cell && ...)) {
        (layout.columns.push_back(binding_of("", &record, field)), ...);
        constexpr auto names = names_of_fields<Record>();
        for (std::size_t i = 0; i < count; ++i) layout.columns[i].field = names[i];
      }
    });
    // A reference to a bit-field refers to a copy, which doesn't lie in the record.
    const auto outside = [](const column_binding& field) { return field.offset >= sizeof(Record); };
    if (std::ranges::any_of(layout.columns, outside)) layout.columns.clear();
  }
  return layout;
}

}  // namespace detail

/// How a CSV file is laid out: s.csv<T>("data.csv", csv_options{.delimiter = ';'}, columns...).
struct csv_options {
  char delimiter = 0;  ///< 0: a comma; in files whose names end in .tsv a tab
  bool header = true;  ///< the first row names the columns. Without one, columns are bound in the
                       ///< order in which they are given, beginning with the file's first
  /// What stands for a missing value, besides an empty cell: {"NA", "null"}. Such a cell, without
  /// quotes unless it is no value of the field's type, is a std::optional without a value, or NaN
  /// in a float. The first of them is what is written.
  std::vector<std::string> missing{};
  char decimal = '.';  ///< before a number's decimals: ',' in much of Europe
  char thousands = 0;  ///< what stands between a number's thousands; nothing is written there
  /// How dates and times are written: "%d/%m/%Y", "%b %e, %Y %I:%M %p". Empty: as 2024-02-29 and
  /// 2024-02-29 13:45:00.5. Of strftime's conversions %Y %y %m %b %B %d %e %F, and for times %H %I
  /// %p %M %S %f %T; the names of months are English.
  std::string date{}, timestamp{};
  std::int64_t skip = 0;  ///< lines to be left out before the header, in reading
  char comment = 0;       ///< '#': lines that begin with it are left out there, too
  /// Where rows that can't be read are counted, which are left out. Else the first is an error.
  std::optional<bad_row_log> bad_rows{};
};

/// The same of JSON lines: s.json<T>("events.jsonl", json_options{.bad_rows = log}).
struct json_options {
  std::optional<bad_row_log> bad_rows{};
};

/// A column bound to a field of Record.
template <typename Record>
struct column_of : detail::column_binding {};

/// Binds the column `name` of a file to a field: `column("delay", &flight::delay)`.
///
/// \param name   as in the file's header, case included; of JSON "user.id" is a key in an object.
/// \param field  a direct member: an integer up to 64 bits, float, double, bool, std::string_view,
///               pappus::category, pappus::date, pappus::timestamp; in CSV and JSON files also a
///               std::optional of one of those, in NPY and JSON files a std::array, in JSON,
///               Parquet and Arrow files a pappus::list.
template <typename Field, typename Record>
column_of<Record> column(std::string name, Field Record::* field) {
  const Record record = detail::zero_record<Record>();
  return {detail::binding_of(std::move(name), &record, record.*field)};
}

template <typename Field, typename Record>
  requires(!detail::fileable<Record>)
PAPPUS_REFUSED("column: the record type" PAPPUS_ISNT_A_RECORD)
detail::refused<Record> column(std::string, Field Record::*) {
  return {};
}
template <typename Field, typename Record>
  requires(detail::fileable<Record> && !detail::field_traits<Field>::is_cell)
PAPPUS_REFUSED(
    "column: a field must be an integer, float, double, bool, std::string_view, pappus::category, "
    "pappus::date, pappus::timestamp, or a std::optional, a std::array or a pappus::list of these")
detail::refused<Record> column(std::string, Field Record::*) {
  return {};
}

}  // namespace pappus

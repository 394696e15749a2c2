#include "formats/arrow/arrow_fields.h"

#include <cstddef>

#include <fmt/format.h>

#include "formats/named_layout.h"
#include "pappus/error.h"

namespace pappus::formats {
namespace {

using detail::cell;

bool is_integer(cell type) { return type <= cell::u64; }

/// Whether a column may become a field, if its values are in range.
bool may_become(const arrow_column& from, cell to) {
  switch (from.kind) {
    case arrow_kind::f32:
      return detail::is_float_cell(to);
    case arrow_kind::f64:
      return to == cell::f64;
    case arrow_kind::boolean:
      return to == cell::boolean;
    case arrow_kind::text:
      return detail::is_text_cell(to);
    case arrow_kind::date:
      return to == cell::date;
    case arrow_kind::timestamp:
      return to == cell::timestamp;
    case arrow_kind::decimal:
      return (to == cell::f64 && from.precision <= exact_digits && from.scale >= 0 &&
              from.scale <= exact_digits) ||
             (is_integer(to) && from.scale == 0);
    case arrow_kind::list:
    case arrow_kind::other:
      return false;
    default:
      return is_integer(to) || detail::is_float_cell(to);
  }
}
bool may_become(const arrow_column& from, const detail::column_binding& to) {
  if (to.type != cell::list) return may_become(from, to.type);
  return from.kind == arrow_kind::list && may_become(from.items.front(), to.item);
}

/// With a list's items.
std::string whole_type(cell type, cell item) {
  if (type != cell::list) return field_type(type);
  return fmt::format("{} of which each item is {}", field_type(type), field_type(item));
}

/// What can be done where a column can't become a field.
std::string remedy_for(const arrow_column& from) {
  if (from.kind == arrow_kind::decimal && from.scale > 0)
    return fmt::format(
        "; doubles have decimals of up to {} digits: cast the column where the file is written",
        exact_digits);
  const auto field = field_for(from);
  if (field.known) return fmt::format("; make the field {}", whole_type(field.type, field.item));
  return "; leave the column out, or cast it where the file is written";
}

}  // namespace

const char* field_type(detail::cell type) {
  constexpr const char* names[] = {"an 8-bit integer",
                                   "a 16-bit integer",
                                   "a 32-bit integer",
                                   "a 64-bit integer",
                                   "an unsigned 8-bit integer",
                                   "an unsigned 16-bit integer",
                                   "an unsigned 32-bit integer",
                                   "an unsigned 64-bit integer",
                                   "a float",
                                   "a double",
                                   "a bool",
                                   "a std::string_view",
                                   "a pappus::date",
                                   "a pappus::timestamp",
                                   "a pappus::category",
                                   "a pappus::list"};
  return names[static_cast<std::size_t>(type)];
}

std::vector<arrow_binding> bind_arrow_columns(const std::string& file,
                                              const std::vector<arrow_column>& columns,
                                              const detail::record_layout& layout) {
  std::vector<std::string> names;
  for (const auto& column : columns) names.push_back(column.name);
  std::vector<arrow_binding> bound;
  for (const auto& field : layout.columns) {
    const auto at = find_column(file, field.name, names);
    if (!may_become(columns[at], field))
      throw format_error(fmt::format("{}: column \"{}\": expected one that {} can have, got {}{}",
                                     file, field.name, whole_type(field.type, field.item),
                                     columns[at].type, remedy_for(columns[at])));
    bound.push_back({at, columns[at], field});
  }
  return bound;
}

arrow_field field_for(const arrow_column& column) {
  switch (column.kind) {
    case arrow_kind::boolean:
      return {true, cell::boolean};
    case arrow_kind::text:
      return {true, cell::string};
    case arrow_kind::date:
      return {true, cell::date};
    case arrow_kind::timestamp:
      return {true, cell::timestamp};
    case arrow_kind::decimal:
      if (may_become(column, cell::f64)) return {true, cell::f64};
      return {column.scale == 0 && column.precision <= 18, cell::i64};
    case arrow_kind::f32:
      return {true, cell::f32};
    case arrow_kind::f64:
      return {true, cell::f64};
    case arrow_kind::list: {
      const auto items = field_for(column.items.front());
      return {items.known, cell::list, items.type};
    }
    case arrow_kind::other:
      return {};
    default:
      return {true, static_cast<cell>(column.kind)};
  }
}

}  // namespace pappus::formats

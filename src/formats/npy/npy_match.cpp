#include "formats/npy/npy_match.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "formats/item_match.h"
#include "pappus/error.h"

namespace pappus::formats {
namespace {

using detail::cell;
using detail::column_binding;
using detail::record_layout;

std::string rows_of(std::size_t scalars_per_row, const std::string& dtype) {
  return (scalars_per_row == 1 ? "shape [n]"
                               : "shape [n, " + std::to_string(scalars_per_row) + ']') +
         " of " + dtype;
}

std::string expected_of(const record_layout& layout) {
  if (layout.columns.empty()) return "records of " + std::to_string(layout.bytes) + " bytes";
  if (is_plain(layout)) return rows_of(scalars(layout), npy_dtype(layout.columns[0].type));
  return fields_text(layout);
}

std::string got_of(const npy_header& header, const array_item& item) {
  std::string text = "shape [";
  for (std::size_t i = 0; i < header.shape.size(); ++i) {
    text += (i > 0 ? ", " : "") + std::to_string(header.shape[i]);
  }
  text += "] of ";
  return text + (item.structured ? fields_text(item) : item.fields[0].dtype);
}

[[noreturn]] void refuse_items(const std::string& file, const npy_header& header,
                               const record_layout& layout, const std::string& hint) {
  throw format_error(file + ": expected " + expected_of(layout) + ", got " +
                     got_of(header, item_of(header)) + hint);
}

std::string python_string(const std::string& text) {
  std::string result = "'";
  for (const char c : text) {
    if (c == '\'' || c == '\\') result += '\\';
    result += c;
  }
  return result + '\'';
}

}  // namespace

array_item item_of(const npy_header& header) {
  return {header.structured, header.fields, header.item_bytes};
}

npy_match match_npy(const std::string& file, const npy_header& header,
                    const record_layout& layout) {
  refuse_missing(file, layout);
  refuse_text(file, layout);
  const auto item = item_of(header);
  const auto fail = [&](const std::string& hint) { refuse_items(file, header, layout, hint); };
  if (header.fortran_order && header.shape.size() > 1)
    fail(
        "; its columns, not its rows, are contiguous (fortran_order): save it with "
        "numpy.ascontiguousarray");
  const std::size_t dimensions = header.shape.size();
  if (dimensions == 0 || dimensions > (header.structured ? 1U : 2U)) fail("");
  const std::int64_t per_row = dimensions == 2 ? header.shape[1] : 1;
  if (per_row == 0 || per_row > std::numeric_limits<std::int32_t>::max()) fail("");
  return {match_items(item, static_cast<std::size_t>(per_row), layout, fail), header.shape[0]};
}

record_schema npy_schema(const byte_source& source) {
  const auto header = read_npy_header(source);
  const auto dimensions = header.shape.size();
  if (dimensions == 0 || dimensions > (header.structured ? 1U : 2U))
    throw format_error(source.name() + ": expected an array of rows, of shape [n] or [n, d], got " +
                       got_of(header, item_of(header)) + "; it can be opened as an array");
  record_schema schema;
  for (const auto& field : header.fields) {
    record_schema::column column;
    column.name = field.name;
    column.count = field.count;
    if (!header.structured && header.shape.size() == 2 && header.shape[1] > 0)
      column.count *= static_cast<std::size_t>(header.shape[1]);
    if (field.type)
      column.type = *field.type;
    else
      column.left_out = "has a type that no field can have";
    schema.columns.push_back(std::move(column));
  }
  schema.rows = header.shape.empty() ? 0 : header.shape[0];
  return schema;
}

npy_match match_to_add(const std::string& file, const npy_header& header,
                       const record_layout& layout) {
  auto match = match_npy(file, header, layout);
  bool same = std::ranges::none_of(header.fields, &npy_field::swapped);
  if (header.structured) {
    same = same && header.fields.size() == layout.columns.size();
    for (std::size_t i = 0; same && is_named(layout) && i < header.fields.size(); ++i)
      same = header.fields[i].name == layout.columns[i].name;
  }
  if (!same) refuse_items(file, header, layout, "; only the same ones can be put behind them");
  return match;
}

npy_plan plan_npy(const std::string& file, const record_layout& layout) {
  if (layout.columns.empty()) {
    throw usage_error(file +
                      ": expected a record whose fields are known, got one that can't be seen "
                      "through; bind its fields with pappus::column(\"name\", &record::field)");
  }
  refuse_missing(file, layout);
  refuse_text(file, layout);
  npy_plan plan;
  plan.map.record_bytes = layout.bytes;
  std::string fields;
  for (std::size_t i = 0; i < layout.columns.size(); ++i) {
    const column_binding& column = layout.columns[i];
    const std::size_t bytes = column.count * detail::cell_bytes(column.type);
    plan.map.fields.push_back({plan.map.file_bytes, column.offset, bytes});
    plan.map.file_bytes += bytes;
    const std::string name = column.name.empty() ? 'f' + std::to_string(i) : column.name;
    fields += '(' + python_string(name) + ", '" + npy_dtype(column.type) + '\'';
    if (column.count > 1) fields += ", (" + std::to_string(column.count) + ",)";
    fields += "), ";
  }
  plan.map.merge();
  if (is_plain(layout)) {
    plan.descr = '\'' + npy_dtype(layout.columns[0].type) + '\'';
    if (scalars(layout) > 1) plan.extents.push_back(static_cast<std::int64_t>(scalars(layout)));
  } else {
    plan.descr = '[' + fields + ']';
  }
  return plan;
}

}  // namespace pappus::formats

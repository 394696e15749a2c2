#include "formats/npy/npy_match.h"

#include <algorithm>
#include <limits>

#include "formats/names.h"
#include "pappus/error.h"

namespace pappus::formats {
namespace {

using detail::cell;
using detail::column_binding;
using detail::record_layout;

bool one_type(const record_layout& layout) {
  return std::ranges::all_of(layout.columns, [&](const column_binding& column) {
    return column.type == layout.columns[0].type;
  });
}

bool named(const record_layout& layout) {
  return std::ranges::any_of(layout.columns,
                             [](const auto& column) { return !column.name.empty(); });
}

std::size_t scalars(const record_layout& layout) {
  std::size_t count = 0;
  for (const column_binding& column : layout.columns) count += column.count;
  return count;
}

std::string field_text(const std::string& name, const std::string& dtype, std::size_t count) {
  std::string text = name.empty() ? "" : '"' + name + "\" ";
  text += dtype;
  return count == 1 ? text : text + " x " + std::to_string(count);
}

std::string rows_of(std::size_t scalars_per_row, const std::string& dtype) {
  return (scalars_per_row == 1 ? "shape [n]"
                               : "shape [n, " + std::to_string(scalars_per_row) + ']') +
         " of " + dtype;
}

std::string expected_of(const record_layout& layout) {
  if (layout.columns.empty()) return "records of " + std::to_string(layout.bytes) + " bytes";
  if (one_type(layout) && !named(layout)) {
    return rows_of(scalars(layout), npy_dtype(layout.columns[0].type));
  }
  std::string text = "fields ";
  for (const column_binding& column : layout.columns) {
    if (&column != layout.columns.data()) text += ", ";
    text += field_text(column.name, npy_dtype(column.type), column.count);
  }
  return text;
}

std::string got_of(const npy_header& header) {
  std::string text = "shape [";
  for (std::size_t i = 0; i < header.shape.size(); ++i) {
    text += (i > 0 ? ", " : "") + std::to_string(header.shape[i]);
  }
  text += "] of ";
  if (!header.structured) return text + header.fields[0].dtype;
  text += "fields ";
  for (std::size_t i = 0; i < header.fields.size(); ++i) {
    const npy_field& field = header.fields[i];
    text += (i > 0 ? ", " : "") + field_text(field.name, field.dtype, field.count);
  }
  return text;
}

class matcher {
 public:
  matcher(const std::string& file, const npy_header& header, const record_layout& layout)
      : file_(file), header_(header), layout_(layout) {
    map_.record_bytes = layout.bytes;
  }

  npy_match match() {
    if (header_.fortran_order && header_.shape.size() > 1) {
      fail(
          "; its columns, not its rows, are contiguous (fortran_order): save it with "
          "numpy.ascontiguousarray");
    }
    const std::size_t dimensions = header_.shape.size();
    if (dimensions == 0 || dimensions > (header_.structured ? 1U : 2U)) fail("");
    const std::int64_t per_row = dimensions == 2 ? header_.shape[1] : 1;
    if (per_row == 0 || per_row > std::numeric_limits<std::int32_t>::max()) fail("");
    map_.file_bytes = header_.item_bytes * static_cast<std::size_t>(per_row);
    if (map_.file_bytes == 0) fail("");
    if (layout_.columns.empty()) {
      if (map_.file_bytes != layout_.bytes) fail("");
      map_.fields = {{0, 0, layout_.bytes}};
    } else if (header_.structured) {
      match_fields();
    } else {
      match_scalars(static_cast<std::size_t>(per_row));
    }
    map_.merge();
    return {std::move(map_), header_.shape[0]};
  }

 private:
  [[noreturn]] void fail(const std::string& hint) const {
    throw format_error(file_ + ": expected " + expected_of(layout_) + ", got " + got_of(header_) +
                       hint);
  }

  [[noreturn]] void fail_type(const npy_field& field) const {
    const bool big_endian = field.dtype.starts_with('>') && field.scalar_bytes > 1;
    fail(big_endian ? "; big-endian numbers are not read: save them with .astype(\"<" +
                          field.dtype.substr(1) + "\")"
                    : "");
  }

  void match_scalars(std::size_t per_row) {
    if (scalars(layout_) != per_row) fail("");
    const npy_field& scalar = header_.fields[0];
    std::size_t file_offset = 0;
    for (const column_binding& column : layout_.columns) {
      add(scalar, column, file_offset);
      file_offset += column.count * scalar.scalar_bytes;
    }
  }

  void match_fields() {
    if (!named(layout_) && layout_.columns.size() != header_.fields.size()) fail("");
    std::vector<std::string> names;
    for (const npy_field& field : header_.fields) names.push_back(field.name);
    for (std::size_t i = 0; i < layout_.columns.size(); ++i) {
      const column_binding& column = layout_.columns[i];
      std::size_t at = i;
      if (named(layout_)) {
        at = static_cast<std::size_t>(std::ranges::find(names, column.name) - names.begin());
        if (at == names.size()) fail(suggestion(column.name, names));
      }
      if (header_.fields[at].count != column.count) fail("");
      add(header_.fields[at], column, header_.fields[at].offset);
    }
  }

  void add(const npy_field& field, const column_binding& column, std::size_t file_offset) {
    if (!field.type || !npy_compatible(*field.type, column.type)) fail_type(field);
    map_.fields.push_back({file_offset, column.offset, column.count * field.scalar_bytes,
                           column.type == cell::boolean});
  }

  const std::string& file_;
  const npy_header& header_;
  const record_layout& layout_;
  record_map map_;
};

std::string python_string(const std::string& text) {
  std::string result = "'";
  for (const char c : text) {
    if (c == '\'' || c == '\\') result += '\\';
    result += c;
  }
  return result + '\'';
}

}  // namespace

npy_match match_npy(const std::string& file, const npy_header& header,
                    const record_layout& layout) {
  return matcher(file, header, layout).match();
}

npy_plan plan_npy(const std::string& file, const record_layout& layout) {
  if (layout.columns.empty()) {
    throw usage_error(file +
                      ": expected a record whose fields are known, got one that can't be seen "
                      "through; bind its fields with pappus::column(\"name\", &record::field)");
  }
  npy_plan plan;
  plan.map.record_bytes = layout.bytes;
  std::string fields;
  for (std::size_t i = 0; i < layout.columns.size(); ++i) {
    const column_binding& column = layout.columns[i];
    if (column.type == cell::string) {
      throw usage_error(file +
                        ": expected fields of fixed size, got a string_view; npy has no text of "
                        "varying length: use csv, or map it to a number");
    }
    const std::size_t bytes = column.count * detail::cell_bytes(column.type);
    plan.map.fields.push_back({plan.map.file_bytes, column.offset, bytes});
    plan.map.file_bytes += bytes;
    const std::string name = column.name.empty() ? 'f' + std::to_string(i) : column.name;
    fields += '(' + python_string(name) + ", '" + npy_dtype(column.type) + '\'';
    if (column.count > 1) fields += ", (" + std::to_string(column.count) + ",)";
    fields += "), ";
  }
  plan.map.merge();
  if (one_type(layout) && !named(layout)) {
    plan.descr = '\'' + npy_dtype(layout.columns[0].type) + '\'';
    if (scalars(layout) > 1) plan.extents.push_back(static_cast<std::int64_t>(scalars(layout)));
  } else {
    plan.descr = '[' + fields + ']';
  }
  return plan;
}

}  // namespace pappus::formats

#include "formats/item_match.h"

#include <algorithm>

#include <fmt/format.h>

#include "formats/names.h"
#include "pappus/error.h"

namespace pappus::formats {
namespace {

using detail::cell;
using detail::column_binding;
using detail::record_layout;

std::string field_text(const std::string& name, const std::string& dtype, std::size_t count) {
  std::string text = name.empty() ? "" : '"' + name + "\" ";
  text += dtype;
  return count == 1 ? text : text + " x " + std::to_string(count);
}

class matcher {
 public:
  matcher(const array_item& item, const record_layout& layout,
          const std::function<void(const std::string&)>& fail)
      : item_(item), layout_(layout), fail_(fail) {}

  record_map match(std::size_t per_record) {
    map_.record_bytes = layout_.bytes;
    map_.file_bytes = item_.bytes * per_record;
    if (map_.file_bytes == 0) fail_("");
    if (layout_.columns.empty()) {
      const bool swapped = std::ranges::any_of(item_.fields, &npy_field::swapped);
      if (map_.file_bytes != layout_.bytes || swapped) fail_("");
      map_.fields = {{0, 0, layout_.bytes}};
    } else if (item_.structured) {
      match_fields();
    } else {
      match_scalars(per_record);
    }
    map_.merge();
    return std::move(map_);
  }

 private:
  void match_scalars(std::size_t per_record) {
    if (scalars(layout_) != per_record) fail_("");
    const npy_field& scalar = item_.fields[0];
    std::size_t file_offset = 0;
    for (const column_binding& column : layout_.columns) {
      add(scalar, column, file_offset);
      file_offset += column.count * scalar.scalar_bytes;
    }
  }

  void match_fields() {
    if (!is_named(layout_) && layout_.columns.size() != item_.fields.size()) fail_("");
    std::vector<std::string> names;
    for (const npy_field& field : item_.fields) names.push_back(field.name);
    for (std::size_t i = 0; i < layout_.columns.size(); ++i) {
      const column_binding& column = layout_.columns[i];
      std::size_t at = i;
      if (is_named(layout_)) {
        at = static_cast<std::size_t>(std::ranges::find(names, column.name) - names.begin());
        if (at == names.size()) fail_(suggestion(column.name, names));
      }
      if (item_.fields[at].count != column.count) fail_("");
      add(item_.fields[at], column, item_.fields[at].offset);
    }
  }

  void add(const npy_field& field, const column_binding& column, std::size_t file_offset) {
    if (!field.type || !npy_compatible(*field.type, column.type)) fail_("");
    map_.fields.push_back({file_offset, column.offset, column.count * field.scalar_bytes,
                           column.type == cell::boolean, field.swapped ? field.scalar_bytes : 0});
  }

  const array_item& item_;
  const record_layout& layout_;
  const std::function<void(const std::string&)>& fail_;
  record_map map_;
};

}  // namespace

record_map match_items(const array_item& item, std::size_t per_record, const record_layout& layout,
                       const std::function<void(const std::string& hint)>& fail) {
  return matcher(item, layout, fail).match(per_record);
}

std::string fields_text(const array_item& item) {
  std::string text = "fields ";
  for (std::size_t i = 0; i < item.fields.size(); ++i) {
    const npy_field& field = item.fields[i];
    text += (i > 0 ? ", " : "") + field_text(field.name, field.dtype, field.count);
  }
  return text;
}

std::string fields_text(const record_layout& layout) {
  std::string text = "fields ";
  for (std::size_t i = 0; i < layout.columns.size(); ++i) {
    const column_binding& column = layout.columns[i];
    text += (i > 0 ? ", " : "") + field_text(column.name, npy_dtype(column.type), column.count);
  }
  return text;
}

void refuse_missing(const std::string& file, const record_layout& layout) {
  for (std::size_t i = 0; i < layout.columns.size(); ++i)
    if (const auto& column = layout.columns[i]; column.presence != 0)
      throw usage_error(fmt::format(
          "{}: expected fields that always have a value, got a std::optional as field {}{}; map it "
          "to a value of your choice, such as NaN, or use csv",
          file, i, column.field.empty() ? "" : fmt::format(" ({})", column.field)));
}

void refuse_text(const std::string& file, const record_layout& layout) {
  for (const auto& column : layout.columns)
    if (leads_elsewhere(column.type))
      throw usage_error(fmt::format(
          "{}: expected fields of fixed size, got {}; arrays have no {} of varying "
          "length: use {}, or map it to a number",
          file, name_of_leading(column.type), is_text_cell(column.type) ? "text" : "lists",
          is_text_cell(column.type) ? "csv" : "jsonl"));
}

std::size_t scalars(const record_layout& layout) {
  std::size_t count = 0;
  for (const column_binding& column : layout.columns) count += column.count;
  return count;
}

bool is_named(const record_layout& layout) {
  return std::ranges::any_of(layout.columns,
                             [](const auto& column) { return !column.name.empty(); });
}

bool is_plain(const record_layout& layout) {
  return !is_named(layout) &&
         std::ranges::all_of(layout.columns, [&](const column_binding& column) {
           return column.type == layout.columns[0].type;
         });
}

}  // namespace pappus::formats

#include "formats/named_layout.h"

#include <algorithm>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "formats/names.h"
#include "pappus/error.h"

namespace pappus::formats {

std::string name_of(const detail::column_binding& binding) {
  return binding.name.empty() ? std::string(binding.field) : binding.name;
}

detail::record_layout named_layout(const std::string& file, detail::record_layout layout) {
  if (layout.columns.empty()) {
    throw usage_error(file +
                      ": expected bindings of columns to fields, got none; add "
                      "pappus::column(\"name\", &record::field)");
  }
  for (detail::column_binding& binding : layout.columns) {
    binding.name = name_of(binding);
    if (binding.name.empty()) {
      throw usage_error(file +
                        ": expected a name for each field, got a field without; bind it with "
                        "pappus::column(\"name\", &record::field)");
    }
  }
  return layout;
}

detail::record_layout named_columns(const std::string& file, detail::record_layout layout) {
  layout = named_layout(file, std::move(layout));
  for (const detail::column_binding& binding : layout.columns)
    if (binding.count != 1)
      throw usage_error(file + ": column \"" + binding.name +
                        "\": expected a field with one value, got an array of " +
                        std::to_string(binding.count) +
                        "; bind single fields, or use JSON lines or npy");
  return layout;
}

detail::record_layout named_scalars(const std::string& file, detail::record_layout layout) {
  layout = named_columns(file, std::move(layout));
  for (const detail::column_binding& binding : layout.columns)
    if (binding.type == detail::cell::list)
      throw usage_error(file + ": column \"" + binding.name +
                        "\": expected a field with one value, got a pappus::list; use JSON lines "
                        "or Parquet");
  return layout;
}

void check_different_names(const std::string& file, const detail::record_layout& layout) {
  std::set<std::string_view> names;
  for (const auto& column : layout.columns)
    if (!names.insert(column.name).second)
      throw usage_error(
          fmt::format("{}: column \"{}\": expected a name that no other has, got it for several "
                      "fields; give each its own: pappus::column(\"name\", &record::field)",
                      file, column.name));
}

std::size_t find_column(const std::string& file, std::string_view name,
                        std::span<const std::string> names) {
  const auto found = std::ranges::find(names, name);
  if (found == names.end())
    throw format_error(fmt::format("{}: expected a column \"{}\", got the columns {}{}", file, name,
                                   listed(names), suggestion(name, names)));
  if (std::find(found + 1, names.end(), name) != names.end())
    throw format_error(
        fmt::format("{}: expected one column \"{}\", got several of that name", file, name));
  return static_cast<std::size_t>(found - names.begin());
}

}  // namespace pappus::formats

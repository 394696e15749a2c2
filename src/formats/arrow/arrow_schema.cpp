#include "formats/arrow/arrow_schema.h"

#include <algorithm>

#include <fmt/format.h>

#include "formats/arrow/arrow_fields.h"
#include "formats/arrow/arrow_library.h"
#include "formats/byte_source.h"
#include "pappus/error.h"

namespace pappus::formats {
namespace {

constexpr std::int64_t no_rows_are_read = 1024;

record_schema::column column_of(const arrow_file& file, std::size_t i) {
  const auto& from = file.columns()[i];
  record_schema::column column;
  column.name = from.name;
  const auto field = field_for(from);
  column.type = field.type;
  column.item = field.item;
  if (!field.known)
    column.left_out = fmt::format("is of type {}, which no field can have", from.type);
  if (from.name.empty()) column.left_out = "has no name";
  if (std::ranges::count(file.columns(), from.name, &arrow_column::name) > 1)
    column.left_out = "has the name of another column";
  bool counted = true;
  for (const auto& group : file.groups()) {
    counted &= group.nulls[i] >= 0;
    column.missing += std::max<std::int64_t>(group.nulls[i], 0);
  }
  column.may_lack = from.nullable;
  column.optional = from.nullable && (column.missing > 0 || !counted);
  return column;
}

using open_columns = std::unique_ptr<arrow_file> (arrow_library::*)(const byte_source& source,
                                                                    detail::memory_source& memory,
                                                                    std::int64_t rows) const;

record_schema schema_of(const std::string& path, detail::memory_source& memory, open_columns open) {
  const auto source = open_file(path);
  record_schema schema;
  try {
    const auto file = (load_arrow(path).*open)(*source, memory, no_rows_are_read);
    for (std::size_t i = 0; i < file->columns().size(); ++i)
      schema.columns.push_back(column_of(*file, i));
    for (const auto& group : file->groups()) schema.rows += group.rows;
  } catch (const arrow_problem& problem) {
    throw format_error(fmt::format("{}: can't be read: {}", path, problem.what()));
  }
  return schema;
}

}  // namespace

record_schema parquet_schema(const std::string& path, detail::memory_source& memory) {
  return schema_of(path, memory, &arrow_library::open_parquet);
}

record_schema ipc_schema(const std::string& path, detail::memory_source& memory) {
  return schema_of(path, memory, &arrow_library::open_ipc);
}

}  // namespace pappus::formats

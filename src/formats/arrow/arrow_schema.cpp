#include "formats/arrow/arrow_schema.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <string_view>
#include <unordered_set>

#include <fmt/format.h>

#include "formats/arrow/arrow_fields.h"
#include "formats/arrow/arrow_library.h"
#include "formats/arrow/arrow_reader.h"
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

/// Texts are looked at in so many of the first rows.
constexpr std::int64_t rows_with_texts = 10'000;

/// How many different ones a column has. What is wrong with the rows is told where they are read.
void count_texts(reader& from, const detail::record_layout& layout, record_schema& schema,
                 detail::workers& team, detail::memory_source& memory) {
  const auto rows = std::min(rows_with_texts, schema.rows);
  const detail::buffer records(memory, static_cast<std::size_t>(rows) * layout.bytes, "schema");
  std::int64_t n = 0;
  try {
    n = from.read(team, records.data(), rows);
  } catch (const format_error&) {
    return;
  }
  for (const auto& field : layout.columns) {
    std::unordered_set<std::string_view> different;
    for (std::int64_t row = 0; row < n && different.size() <= record_schema::few_texts; ++row) {
      const auto* const record = records.data() + static_cast<std::size_t>(row) * layout.bytes;
      std::string_view text;
      std::memcpy(&text, record + field.offset, sizeof text);
      if (record[field.presence] != std::byte{0}) different.insert(text);
    }
    auto& column = *std::ranges::find(schema.columns, field.name, &record_schema::column::name);
    column.text_rows = n;
    if (different.size() <= record_schema::few_texts) column.different_texts = different.size();
  }
}

/// Columns of text, each with whether it is there.
detail::record_layout texts_of(const record_schema& schema) {
  detail::record_layout layout;
  for (const auto& column : schema.columns) {
    if (column.type != detail::cell::string || !column.left_out.empty()) continue;
    layout.columns.push_back({.name = column.name,
                              .type = detail::cell::string,
                              .offset = layout.bytes,
                              .presence = layout.bytes + sizeof(std::string_view)});
    layout.bytes += sizeof(std::optional<std::string_view>);
  }
  return layout;
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

record_schema parquet_schema(const std::string& path, detail::workers& team,
                             detail::memory_source& memory) {
  auto schema = schema_of(path, memory, &arrow_library::open_parquet);
  if (const auto layout = texts_of(schema); !layout.columns.empty() && schema.rows > 0)
    count_texts(*open_parquet(path, layout, memory), layout, schema, team, memory);
  return schema;
}

record_schema ipc_schema(const std::string& path, detail::workers& team,
                         detail::memory_source& memory) {
  auto schema = schema_of(path, memory, &arrow_library::open_ipc);
  if (const auto layout = texts_of(schema); !layout.columns.empty() && schema.rows > 0)
    count_texts(*open_ipc(path, layout, memory), layout, schema, team, memory);
  return schema;
}

}  // namespace pappus::formats

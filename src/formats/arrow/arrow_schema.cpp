#include "formats/arrow/arrow_schema.h"

#include <algorithm>
#include <cstring>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string_view>
#include <vector>

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

using open_columns = std::unique_ptr<arrow_file> (arrow_library::*)(const byte_source& source,
                                                                    detail::memory_source& memory,
                                                                    std::int64_t rows) const;
using open_rows = std::unique_ptr<reader> (*)(const std::string& path,
                                              const detail::record_layout& layout,
                                              detail::memory_source& memory);

/// Whether a column's texts may be few: they are short where they are stored, on average.
bool may_repeat(const arrow_file& file, const record_schema::column& column, std::size_t i) {
  constexpr std::int64_t longest = 256;  // bytes
  return column.type == detail::cell::string && column.left_out.empty() &&
         std::ranges::all_of(file.groups(), [&](const arrow_group& group) {
           return group.bytes[i] / longest <= group.rows;
         });
}

/// What Parquet's metadata and Arrow's schema tell, and whose texts may be looked at.
std::vector<std::size_t> look_at_columns(const std::string& path, detail::memory_source& memory,
                                         open_columns open, record_schema& schema) {
  const auto source = open_file(path);
  std::vector<std::size_t> texts;
  try {
    const auto file = (load_arrow(path).*open)(*source, memory, no_rows_are_read);
    for (std::size_t i = 0; i < file->columns().size(); ++i) {
      schema.columns.push_back(column_of(*file, i));
      if (may_repeat(*file, schema.columns[i], i)) texts.push_back(i);
    }
    for (const auto& group : file->groups()) schema.rows += group.rows;
  } catch (const arrow_problem& problem) {
    throw format_error(fmt::format("{}: can't be read: {}", path, problem.what()));
  }
  return texts;
}

/// Finds how many different texts the first rows of some columns have.
void count_texts(const std::string& path, std::span<const std::size_t> columns,
                 detail::workers& team, detail::memory_source& memory, open_rows open,
                 record_schema& schema) {
  constexpr std::int64_t most_rows = 10'000, rows_at_once = 1'000;
  detail::record_layout layout;
  for (const auto i : columns) {
    layout.columns.push_back({.name = schema.columns[i].name,
                              .type = detail::cell::string,
                              .offset = layout.bytes,
                              .presence = layout.bytes + sizeof(std::string_view)});
    layout.bytes += sizeof(std::optional<std::string_view>);
  }
  const auto from = open(path, layout, memory);
  const detail::buffer records(memory, rows_at_once * layout.bytes, "schema");
  std::vector<std::set<std::string, std::less<>>> different(columns.size());
  std::int64_t rows = 0;
  for (std::int64_t n = rows_at_once; n == rows_at_once && rows < most_rows; rows += n) {
    n = from->read(team, records.data(), rows_at_once);
    for (std::int64_t i = 0; i < n * std::ssize(columns); ++i) {
      auto& known = different[static_cast<std::size_t>(i % std::ssize(columns))];
      std::optional<std::string_view> text;
      std::memcpy(&text, records.data() + static_cast<std::size_t>(i) * sizeof text, sizeof text);
      if (text && known.size() <= record_schema::few_texts && !known.contains(*text))
        known.emplace(*text);
    }
    from->take_strings();
  }
  for (std::size_t i = 0; i < columns.size(); ++i) {
    auto& column = schema.columns[columns[i]];
    column.text_rows = rows;
    if (different[i].size() <= record_schema::few_texts)
      column.different_texts = different[i].size();
  }
}

record_schema schema_of(const std::string& path, detail::workers& team,
                        detail::memory_source& memory, open_columns open, open_rows open_to_read) {
  constexpr std::size_t at_once = 64;  // columns: files may have thousands
  record_schema schema;
  const auto texts = look_at_columns(path, memory, open, schema);
  for (std::size_t i = 0; i < texts.size() && schema.rows > 0; i += at_once) {
    const auto some = std::span(texts).subspan(i, std::min(at_once, texts.size() - i));
    try {
      count_texts(path, some, team, memory, open_to_read, schema);
    } catch (const format_error&) {  // is told where the rows are read
    } catch (const memory_error&) {  // of what isn't known nothing is said
    }
  }
  return schema;
}

}  // namespace

record_schema parquet_schema(const std::string& path, detail::workers& team,
                             detail::memory_source& memory) {
  return schema_of(path, team, memory, &arrow_library::open_parquet, &open_parquet);
}

record_schema ipc_schema(const std::string& path, detail::workers& team,
                         detail::memory_source& memory) {
  return schema_of(path, team, memory, &arrow_library::open_ipc, &open_ipc);
}

}  // namespace pappus::formats

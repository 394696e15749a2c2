// pappus show FILE: the first rows of a file, as show() of a query prints them.
//
// Nothing is said about the types of the columns: those that read the first rows are taken. Where
// a later one of the rows that are shown doesn't fit them, more of the file is looked at.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "cli/command.h"
#include "cli/interrupt.h"
#include "cli/table_file.h"
#include "formats/record_fields.h"
#include "pappus/detail/base/table_text.h"
#include "pappus/error.h"
#include "pappus/pappus.h"
#include "session/session.h"

namespace pappus::cli {
namespace {

using detail::cell;
using formats::record_schema;

struct show_wishes {
  table_arguments table;
  std::int64_t rows = 20;
  bool count = false;
};

/// A record that has a field for each column that can be bound. Where values may be missing, a
/// byte behind the value says so.
detail::record_layout layout_of(const record_schema& schema, const table_file& table) {
  constexpr std::size_t alignment = 8;
  detail::record_layout layout;
  layout.text = table.text;
  for (const auto& column : schema.columns) {
    if (!column.left_out.empty()) continue;
    detail::column_binding binding{column.name, column.type, layout.bytes, column.count};
    binding.item = column.item;
    const auto bytes = column.count * cell_bytes(column.type);
    if (column.may_lack) binding.presence = binding.offset + bytes;
    layout.columns.push_back(std::move(binding));
    layout.bytes += (bytes + (column.may_lack ? 1 : 0) + alignment - 1) / alignment * alignment;
  }
  return layout;
}

template <typename T>
T value_at(const std::byte* at) noexcept {
  T value;
  std::memcpy(&value, at, sizeof(value));
  return value;
}

std::string cell_text(cell type, const std::byte* at) {
  switch (type) {
    case cell::i8:
      return detail::text_of_number(std::int64_t{value_at<std::int8_t>(at)});
    case cell::i16:
      return detail::text_of_number(std::int64_t{value_at<std::int16_t>(at)});
    case cell::i32:
      return detail::text_of_number(std::int64_t{value_at<std::int32_t>(at)});
    case cell::i64:
      return detail::text_of_number(value_at<std::int64_t>(at));
    case cell::u8:
      return detail::text_of_number(std::uint64_t{value_at<std::uint8_t>(at)});
    case cell::u16:
      return detail::text_of_number(std::uint64_t{value_at<std::uint16_t>(at)});
    case cell::u32:
      return detail::text_of_number(std::uint64_t{value_at<std::uint32_t>(at)});
    case cell::u64:
      return detail::text_of_number(value_at<std::uint64_t>(at));
    case cell::f32:
      return detail::text_of_number(double{value_at<float>(at)});
    case cell::f64:
      return detail::text_of_number(value_at<double>(at));
    case cell::boolean:
      return value_at<std::uint8_t>(at) != 0 ? "true" : "false";
    case cell::date:
      return detail::text_of_date(value_at<std::int32_t>(at));
    case cell::timestamp:
      return detail::text_of_timestamp(value_at<std::int64_t>(at));
    case cell::string:
    case cell::category:
    case cell::list:
      break;
  }
  return detail::text_of_text(formats::text_of(type, at));
}

/// Of several values, the first ones.
class shown_values {
 public:
  void add(cell type, const std::byte* at) {
    constexpr std::size_t enough = 40;
    if (cut_) return;
    if (cut_ = text_.size() > enough; cut_)
      text_ += ", …";
    else
      text_.append(text_.size() > 1 ? ", " : "").append(cell_text(type, at));
  }
  std::string text() && { return std::move(text_) + "]"; }

 private:
  std::string text_ = "[";
  bool cut_ = false;
};

std::string field_text(const detail::column_binding& column, const std::byte* record) {
  if (column.presence != 0 && record[column.presence] == std::byte{0}) return "null";
  const std::byte* at = record + column.offset;
  shown_values values;
  if (column.type == cell::list) {
    formats::for_each_item(column, at,
                           [&](const std::byte* item) { values.add(column.item, item); });
    return std::move(values).text();
  }
  if (column.count == 1) return cell_text(column.type, at);
  for (std::size_t i = 0; i < column.count; ++i, at += cell_bytes(column.type))
    values.add(column.type, at);
  return std::move(values).text();
}

/// As show() calls it.
const char* short_name(cell type) {
  constexpr const char* names[] = {"i8",   "i16",  "i32",  "i64",       "u8",
                                   "u16",  "u32",  "u64",  "f32",       "f64",
                                   "bool", "text", "date", "timestamp", "category"};
  return names[static_cast<std::size_t>(type)];
}

struct shown_head {
  std::vector<detail::shown_column> columns;
  std::int64_t rows = 0;
  bool more = false;                  ///< rows behind them
  std::optional<std::int64_t> known;  ///< how many there are, where files say so
};

/// Adds the first rows, `most` at most, of all files.
shown_head read_head(const table_file& table, const detail::record_layout& layout,
                     std::int64_t most, detail::workers& team, detail::memory_source& memory) {
  constexpr std::int64_t rows_at_once = 1024;
  shown_head head;
  head.known = 0;
  for (const auto& column : layout.columns) {
    const bool number = column.type <= cell::f64;
    const auto type = column.type == cell::list ? column.item : column.type;
    head.columns.push_back({column.name.empty() ? "value" : column.name, short_name(type),
                            number && column.count == 1});
  }
  std::vector<std::byte> rows;
  for (const auto& path : table.paths) {
    const auto reader = table.kind->open(path, layout, memory);
    const auto own = reader->rows();
    head.known = own && head.known ? std::optional(*own + *head.known) : std::nullopt;
    while (!head.more) {
      const auto wanted = std::min(most - head.rows + 1, rows_at_once);
      rows.resize(static_cast<std::size_t>(wanted) * layout.bytes);
      const auto n = reader->read(team, rows.data(), wanted);
      const auto taken = std::min(n, most - head.rows);
      for (std::int64_t i = 0; i < taken; ++i)
        for (std::size_t c = 0; c < layout.columns.size(); ++c)
          head.columns[c].cells.push_back(field_text(
              layout.columns[c], rows.data() + static_cast<std::size_t>(i) * layout.bytes));
      head.rows += taken;
      head.more = taken < n;
      if (n < wanted) break;
    }
    if (head.more && !head.known) break;
  }
  return head;
}

/// The columns that can't be shown, and why.
std::string left_out_text(const record_schema& schema) {
  std::string text;
  for (const auto& column : schema.columns)
    if (!column.left_out.empty())
      text += fmt::format("left out: \"{}\", which {}\n", detail::text_of_text(column.name),
                          column.left_out);
  return text;
}

std::string rows_text(std::int64_t rows) {
  return rows == 1 ? "1 row" : fmt::format("{} rows", rows);
}

int show(const show_wishes& asked) {
  constexpr std::size_t at_first = std::size_t{1} << 20;
  session s;
  const interruptible guard(s);
  const auto& core = detail::access::session(s);
  auto& memory = *core->memory();
  auto team = core->workers();
  const auto table = find_table(asked.table, memory);
  record_schema schema;
  detail::record_layout layout;
  shown_head head;
  for (auto bytes = at_first;; bytes *= 8) {
    schema = look_at(table, bytes, team, memory);
    layout = layout_of(schema, table);
    if (layout.columns.empty()) break;
    try {
      head = read_head(table, layout, asked.rows, team, memory);
      break;
    } catch (const format_error&) {
      if (schema.all || bytes > SIZE_MAX / 8) throw;
    }
    guard.check();
  }
  if (asked.count && !layout.columns.empty() && !head.known) {
    head.known = 0;
    for (const auto& path : table.paths)
      *head.known += table.kind->open(path, layout, memory)->count(team);
  }
  guard.check();
  const bool none_shown = layout.columns.empty() && !schema.columns.empty();
  std::cout << detail::table_text(head.columns, detail::terminal_width()) << left_out_text(schema);
  if (none_shown) return done;
  if (head.known && head.rows < *head.known)
    std::cout << fmt::format("the first {} of {}\n", head.rows, rows_text(*head.known));
  else
    std::cout << (head.more ? "the first " : "") << rows_text(head.rows) << "\n";
  return done;
}

}  // namespace

void add_show(CLI::App& app, action& chosen) {
  auto* command = app.add_subcommand("show", "Prints the first rows of a file of records");
  auto asked = std::make_shared<show_wishes>();
  add_table_arguments(*command, asked->table);
  command->add_option("-n,--rows", asked->rows, "How many rows")
      ->check(CLI::Range(std::int64_t{0}, std::int64_t{1'000'000}))
      ->capture_default_str();
  command->add_flag("--count", asked->count,
                    "Tell how many rows there are, which reads all of a text file");
  command->callback([=, &chosen] { chosen = [asked] { return show(*asked); }; });
}

}  // namespace pappus::cli

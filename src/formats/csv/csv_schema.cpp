#include "formats/csv/csv_schema.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <functional>
#include <set>
#include <span>
#include <string>
#include <string_view>

#include "base/text.h"
#include "formats/csv/csv_cell.h"
#include "formats/csv/csv_open.h"
#include "formats/csv/csv_reader.h"

namespace pappus::formats {
namespace {

using detail::cell;

/// What a column may be, in the order in which it is asked for.
constexpr std::array inferred{cell::i32,     cell::i64,  cell::u64,      cell::f64,
                              cell::boolean, cell::date, cell::timestamp};

/// What is known of a column's cells.
struct seen {
  std::array<bool, inferred.size()> fits;
  std::int64_t missing = 0, cells = 0;
  bool leading_zeros = false;
  std::set<std::string, std::less<>> different;  // cells; of many one more than few_texts

  seen() { fits.fill(true); }

  void look_at(std::string_view text, const csv_options& options) {
    ++cells;
    text = base::trimmed(text);
    if (text.empty() || std::ranges::find(options.missing, text) != options.missing.end()) {
      ++missing;
      return;
    }
    if (different.size() <= record_schema::few_texts && !different.contains(text))
      different.emplace(text);
    std::array<std::byte, 8> value;
    bool of_less = false;  // a 32-bit integer is one of 64 bits, and a float
    for (std::size_t i = 0; i < inferred.size(); ++i) {
      const bool implied = of_less && (inferred[i] == cell::i64 || inferred[i] == cell::f64);
      if (!fits[i] || implied) continue;
      fits[i] = options.dialect.parse(inferred[i], text, value.data()) == cell_outcome::good;
      of_less |= fits[i] && i == 0;
    }
    if (text.front() == '+' || text.front() == '-') text.remove_prefix(1);
    leading_zeros |=
        text.size() > 1 && text[0] == '0' && std::isdigit(static_cast<unsigned char>(text[1])) != 0;
  }

  cell type() const {
    if (missing == cells) return cell::string;
    for (std::size_t i = 0; i < inferred.size(); ++i)
      if (fits[i]) return is_number(inferred[i]) && leading_zeros ? cell::string : inferred[i];
    return cell::string;
  }
  static bool is_number(cell type) {
    return type == cell::i32 || type == cell::i64 || type == cell::u64 || type == cell::f64;
  }
};

record_schema columns_of(const std::vector<std::string>& names) {
  record_schema schema;
  schema.values = "cells";
  for (const auto& name : names) {
    record_schema::column column;
    column.name = name;
    column.may_lack = true;
    if (name.empty()) column.left_out = "has no name";
    if (std::ranges::count(names, name) > 1) column.left_out = "has the name of another column";
    schema.columns.push_back(std::move(column));
  }
  return schema;
}

/// All columns that can be bound, as text.
detail::record_layout text_layout_of(const record_schema& schema) {
  detail::record_layout layout;
  for (const auto& column : schema.columns) {
    if (!column.left_out.empty()) continue;
    layout.columns.push_back({column.name, cell::string, layout.bytes});
    layout.bytes += sizeof(std::string_view);
  }
  return layout;
}

}  // namespace

char guess_delimiter(const byte_source& source, const csv_options& options,
                     detail::memory_source& memory) {
  constexpr std::string_view delimiters = ",;\t|";
  const auto text = first_text(source, options, memory);
  const auto head = std::string_view(text).substr(find_first_row(text, options).begin);
  std::array<int, delimiters.size()> found{};
  bool quoted = false;
  for (const char c : head) {
    quoted ^= c == '"';
    if (c == '\n' && !quoted) break;
    if (const auto which = delimiters.find(c); which != delimiters.npos && !quoted) ++found[which];
  }
  return delimiters[static_cast<std::size_t>(std::ranges::max_element(found) - found.begin())];
}

record_schema infer_schema(const std::function<std::unique_ptr<byte_source>()>& open,
                           const csv_options& options, std::size_t bytes, detail::workers& team,
                           detail::memory_source& memory) {
  auto schema = columns_of(open_csv(open(), {}, memory, options).header.names);
  const auto layout = text_layout_of(schema);
  if (layout.columns.empty()) return schema;
  csv_reader reader(open(), layout, memory, options);
  std::vector<seen> all(layout.columns.size());
  const auto rows_at_once = std::max<std::size_t>((std::size_t{1} << 20) / layout.bytes, 1);
  const detail::buffer rows(memory, rows_at_once * layout.bytes, "schema");
  for (std::size_t text = 0; text < bytes;) {
    const auto n = reader.read(team, rows.data(), static_cast<std::int64_t>(rows_at_once));
    const std::span cells(rows.as<const std::string_view>(),
                          static_cast<std::size_t>(n) * all.size());
    detail::parallel_chunks(team, all.size(), [&](std::size_t column, unsigned) {
      for (auto at = column; at < cells.size(); at += all.size())
        all[column].look_at(cells[at], options);
    });
    reader.take_strings();
    for (const auto& one : cells) text += one.size() + 1;
    schema.rows += n;
    schema.all = n < static_cast<std::int64_t>(rows_at_once);
    if (schema.all) break;
  }
  for (auto& column : schema.columns) {
    const auto own = std::ranges::find(layout.columns, column.name, &detail::column_binding::name);
    if (own == layout.columns.end()) continue;
    const auto& known = all[static_cast<std::size_t>(own - layout.columns.begin())];
    column.type = known.type();
    column.missing = known.missing;
    column.optional = column.type != cell::string && column.missing > 0;  // text is empty, then
    column.leading_zeros = known.leading_zeros && column.type == cell::string;
    if (column.type == cell::string && known.different.size() <= record_schema::few_texts)
      column.different_texts = known.different.size();
  }
  return schema;
}

}  // namespace pappus::formats

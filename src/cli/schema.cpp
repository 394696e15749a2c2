// pappus schema FILE: a program that reads a file, with a struct whose fields have the types of its
// columns.
#include <algorithm>
#include <array>
#include <cctype>
#include <iostream>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/command.h"
#include "cli/interrupt.h"
#include "cli/table_file.h"
#include "formats/record_schema.h"
#include "pappus/error.h"
#include "pappus/pappus.h"
#include "session/session.h"

namespace pappus::cli {
namespace {

using formats::record_schema;

struct wishes {
  table_arguments table;
  std::string name = "row";
  bool all = false, only_struct = false;
};

bool is_keyword(std::string_view word) {
  constexpr std::string_view keywords =
      " alignas alignof and and_eq asm auto bitand bitor bool break case catch char char16_t "
      "char32_t char8_t class co_await co_return co_yield compl concept const const_cast consteval "
      "constexpr constinit continue decltype default delete do double dynamic_cast else enum "
      "explicit export extern false float for friend goto if inline int long mutable namespace new "
      "noexcept not not_eq nullptr operator or or_eq private protected public register "
      "reinterpret_cast requires return short signed sizeof static static_assert static_cast "
      "struct switch template this thread_local throw true try typedef typeid typename union "
      "unsigned using virtual void volatile wchar_t while xor xor_eq ";
  return keywords.find(fmt::format(" {} ", word)) != keywords.npos;
}

/// A name as C++ allows it: "Flight no." becomes Flight_no.
std::string identifier_of(std::string_view name, std::size_t number) {
  std::string result;
  for (const char c : name) {
    const bool good = std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
    if (good && !(c == '_' && result.ends_with('_')))
      result += c;
    else if (!good && !result.empty() && result.back() != '_')
      result += '_';
  }
  if (result.ends_with('_') && !name.ends_with('_')) result.pop_back();
  if (result.empty()) return fmt::format("column_{}", number);
  if (std::isalpha(static_cast<unsigned char>(result[0])) == 0) result.insert(0, "column_");
  return is_keyword(result) ? result + "_" : result;
}

/// A name for each column, different from all others.
std::vector<std::string> fields_of(const record_schema& schema, const std::string& record) {
  std::vector<std::string> fields;
  for (std::size_t i = 0; i < schema.columns.size(); ++i) {
    const auto wanted = identifier_of(schema.columns[i].name, i + 1);
    auto field = wanted;
    for (int n = 2; field == record || std::ranges::find(fields, field) != fields.end(); ++n)
      field = fmt::format("{}_{}", wanted, n);
    fields.push_back(std::move(field));
  }
  return fields;
}

std::string literal_of(std::string_view text) {
  std::string result = "\"";
  for (const char c : text) {
    const auto code = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\')
      (result += '\\') += c;
    else if (code < ' ')
      result += fmt::format("\\{:03o}", code);
    else
      result += c;
  }
  return result + '"';
}

const char* type_name(detail::cell type) {
  constexpr const char* names[] = {"std::int8_t",
                                   "std::int16_t",
                                   "std::int32_t",
                                   "std::int64_t",
                                   "std::uint8_t",
                                   "std::uint16_t",
                                   "std::uint32_t",
                                   "std::uint64_t",
                                   "float",
                                   "double",
                                   "bool",
                                   "std::string_view",
                                   "pappus::date",
                                   "pappus::timestamp",
                                   "pappus::category",
                                   "pappus::list"};
  return names[static_cast<std::size_t>(type)];
}

/// Whether few texts were seen many times.
bool repeats(const record_schema& schema, const record_schema::column& column) {
  constexpr std::int64_t enough = 1000, times = 20;
  const auto rows = column.text_rows > 0 ? column.text_rows : schema.rows;
  return column.different_texts > 0 && rows >= enough &&
         static_cast<std::int64_t>(column.different_texts) <= rows / times;
}

std::string field_of(const record_schema& schema, const record_schema::column& column,
                     const std::string& name) {
  if (!column.left_out.empty())
    return fmt::format("  // column {}: left out, as it {}\n", literal_of(column.name),
                       column.left_out);
  std::string type = type_name(column.type), why;
  if (column.type == detail::cell::list) type = fmt::format("{}<{}>", type, type_name(column.item));
  if (column.count > 1) type = fmt::format("std::array<{}, {}>", type, column.count);
  if (column.optional) type = fmt::format("std::optional<{}>", type);
  if (schema.rows > 0 && column.missing == schema.rows)
    why = fmt::format("  // all {} missing", schema.values);
  else if (column.optional && column.missing > 0)
    why = fmt::format("  // {} of {} {} missing", column.missing, schema.rows, schema.values);
  else if (column.optional)
    why = fmt::format("  // {} may be missing", schema.values);
  else if (column.leading_zeros)
    why = "  // numbers with leading zeros";
  else if (repeats(schema, column))
    why = fmt::format("  // {} different{}: pappus::category takes 4 bytes", column.different_texts,
                      column.text_rows > 0 && column.text_rows < schema.rows
                          ? fmt::format(" in {} rows", column.text_rows)
                          : "");
  return fmt::format("  {} {};{}\n", type, name, why);
}

std::string struct_of(const record_schema& schema, const std::vector<std::string>& fields,
                      const std::string& name) {
  std::string text = fmt::format("struct {} {{\n", name);
  for (std::size_t i = 0; i < fields.size(); ++i)
    text += field_of(schema, schema.columns[i], fields[i]);
  return text + "};\n";
}

std::string literal_of(char c) {
  if (c == '\t') return "'\\t'";
  return fmt::format("'{}{}'", c == '\'' || c == '\\' ? "\\" : "", c);
}

/// What stands in csv_options{}, in the order of its members.
std::string options_of(const detail::text_layout& layout, char expected_delimiter) {
  std::vector<std::string> parts;
  const auto add = [&](const char* name, const std::string& value) {
    parts.push_back(fmt::format(".{} = {}", name, value));
  };
  if (layout.delimiter != expected_delimiter) add("delimiter", literal_of(layout.delimiter));
  if (!layout.header) add("header", "false");
  std::vector<std::string> missing;
  for (const auto& one : layout.missing) missing.push_back(literal_of(one));
  if (!missing.empty()) add("missing", fmt::format("{{{}}}", fmt::join(missing, ", ")));
  if (layout.decimal != '.') add("decimal", literal_of(layout.decimal));
  if (layout.thousands != 0) add("thousands", literal_of(layout.thousands));
  if (!layout.date.empty()) add("date", literal_of(layout.date));
  if (!layout.timestamp.empty()) add("timestamp", literal_of(layout.timestamp));
  if (layout.skip > 0) add("skip", std::to_string(layout.skip));
  if (layout.comment != 0) add("comment", literal_of(layout.comment));
  return fmt::format("{}", fmt::join(parts, ", "));
}

/// What stands between s.csv<row>( and ).
std::string arguments_of(const record_schema& schema, const std::vector<std::string>& fields,
                         const wishes& asked, const table_file& table) {
  std::string text = literal_of(asked.table.file);
  if (table.is_csv())
    if (const auto options = options_of(table.text, table.usual_delimiter); !options.empty())
      text += fmt::format(", pappus::csv_options{{{}}}", options);
  bool named = true;  // the fields, as the columns are
  std::size_t bound = 0;
  for (std::size_t i = 0; i < fields.size(); ++i) {
    const auto& column = schema.columns[i];
    if (!column.left_out.empty()) continue;
    ++bound;
    named = named && (asked.table.no_header || fields[i] == column.name || column.name.empty());
  }
  if (named && bound <= detail::fields_max) return text;
  for (std::size_t i = 0; i < fields.size(); ++i)
    if (schema.columns[i].left_out.empty())
      text += fmt::format(",\n                     pappus::column({}, &{}::{})",
                          literal_of(schema.columns[i].name), asked.name, fields[i]);
  return text;
}

std::string includes_for(const record_schema& schema) {
  bool arrays = false, integers = false, optionals = false, text = false;
  for (const auto& column : schema.columns) {
    if (!column.left_out.empty()) continue;
    arrays |= column.count > 1;
    const auto type = column.type == detail::cell::list ? column.item : column.type;
    integers |= std::string_view(type_name(type)).ends_with("_t");
    optionals |= column.optional;
    text |= type == detail::cell::string;
  }
  return fmt::format("#include <pappus/pappus.h>\n\n{}{}{}{}{}", arrays ? "#include <array>\n" : "",
                     integers ? "#include <cstdint>\n" : "", "#include <iostream>\n",
                     optionals ? "#include <optional>\n" : "",
                     text ? "#include <string_view>\n" : "");
}

/// The session's member that reads such files.
const char* source_of(const table_file& table) {
  if (table.is_csv()) return "csv";
  const std::string_view kind = table.kind->name;
  return kind == "parquet" ? "parquet" : kind == "arrow" ? "arrow" : "read";
}

int print_schema(const wishes& asked) {
  constexpr std::size_t some = std::size_t{64} << 20;
  if (identifier_of(asked.name, 1) != asked.name)
    throw usage_error(
        fmt::format("schema: --name: expected a name that C++ allows, got \"{}\"", asked.name));
  session s;
  const interruptible guard(s);
  const auto& core = detail::access::session(s);
  auto& memory = *core->memory();
  const auto table = find_table(asked.table, memory);
  auto team = core->workers();
  const auto schema = look_at(table, asked.all ? SIZE_MAX : some, team, memory);
  guard.check();
  const auto fields = fields_of(schema, asked.name);
  const auto looked_at = fmt::format(
      "// {}{}: types of its {}{} rows{}\n", asked.table.file,
      table.paths.size() > 1 ? fmt::format(", of {} files the first", table.paths.size()) : "",
      schema.all ? "" : "first ", schema.rows,
      schema.all ? "" : "; pappus schema --all looks at the rest");
  const auto record = struct_of(schema, fields, asked.name);
  if (asked.only_struct) {
    std::cout << looked_at << record;
    return done;
  }
  std::cout << looked_at << includes_for(schema) << "\n"
            << record << "\nint main(int argc, char** argv) {\n  pappus::session s{argc, argv};\n"
            << fmt::format("  auto rows = s.{}<{}>({});\n", source_of(table), asked.name,
                           arguments_of(schema, fields, asked, table))
            << "  std::cout << rows.count() << \" rows\\n\";\n  rows.show();\n}\n";
  return done;
}

}  // namespace

void add_schema(CLI::App& app, action& chosen) {
  auto* command = app.add_subcommand(
      "schema",
      "Prints a program that reads a file of records, with a struct of its columns' types");
  auto asked = std::make_shared<wishes>();
  add_table_arguments(*command, asked->table);
  command->add_option("--name", asked->name, "What the struct is called")->capture_default_str();
  command->add_flag("--all", asked->all, "Look at all rows, not only at the first 64 MiB");
  command->add_flag("--struct", asked->only_struct, "Print the struct alone");
  command->callback([=, &chosen] { chosen = [asked] { return print_schema(*asked); }; });
}

}  // namespace pappus::cli

// pappus schema FILE: a program that reads a CSV or Parquet file, with a struct whose fields have
// the types of its columns.
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
#include "formats/arrow/arrow_schema.h"
#include "formats/csv/csv_schema.h"
#include "formats/file_schema.h"
#include "formats/paths.h"
#include "formats/registry.h"
#include "pappus/error.h"
#include "pappus/pappus.h"
#include "session/session.h"

namespace pappus::cli {
namespace {

using formats::file_schema;

struct wishes {
  std::string file;
  std::string name = "row";
  std::string delimiter, decimal, thousands, comment;
  detail::text_layout text{};  ///< but for what is told above
  bool no_header = false, all = false, only_struct = false;
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
std::vector<std::string> fields_of(const file_schema& schema, const std::string& record) {
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
  constexpr const char* names[] = {
      "std::int8_t",  "std::int16_t",     "std::int32_t",  "std::int64_t",
      "std::uint8_t", "std::uint16_t",    "std::uint32_t", "std::uint64_t",
      "float",        "double",           "bool",          "std::string_view",
      "pappus::date", "pappus::timestamp"};
  return names[static_cast<std::size_t>(type)];
}

std::string field_of(const file_schema& schema, const file_schema::column& column,
                     const std::string& name) {
  if (!column.left_out.empty())
    return fmt::format("  // column {}: left out, as it {}\n", literal_of(column.name),
                       column.left_out);
  std::string type = type_name(column.type), why;
  if (column.optional) {
    type = fmt::format("std::optional<{}>", type);
    why = column.missing > 0
              ? fmt::format("  // {} of {} cells missing", column.missing, schema.rows)
              : "  // cells may be missing";
  } else if (schema.rows > 0 && column.missing == schema.rows) {
    why = "  // all cells missing";
  } else if (column.leading_zeros) {
    why = "  // numbers with leading zeros";
  }
  return fmt::format("  {} {};{}\n", type, name, why);
}

std::string struct_of(const file_schema& schema, const std::vector<std::string>& fields,
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
std::string arguments_of(const file_schema& schema, const std::vector<std::string>& fields,
                         const wishes& asked, const detail::text_layout& layout, char expected) {
  std::string text = literal_of(asked.file);
  if (const auto options = options_of(layout, expected); !options.empty())
    text += fmt::format(", pappus::csv_options{{{}}}", options);
  bool named = true;  // the fields, as the columns are
  std::size_t bound = 0;
  for (std::size_t i = 0; i < fields.size(); ++i) {
    if (!schema.columns[i].left_out.empty()) continue;
    ++bound;
    named = named && (asked.no_header || fields[i] == schema.columns[i].name);
  }
  if (named && bound <= detail::fields_max) return text;
  for (std::size_t i = 0; i < fields.size(); ++i)
    if (schema.columns[i].left_out.empty())
      text += fmt::format(",\n                     pappus::column({}, &{}::{})",
                          literal_of(schema.columns[i].name), asked.name, fields[i]);
  return text;
}

std::string includes_for(const file_schema& schema) {
  bool integers = false, optionals = false, text = false;
  for (const auto& column : schema.columns) {
    if (!column.left_out.empty()) continue;
    integers |= std::string_view(type_name(column.type)).ends_with("_t");
    optionals |= column.optional;
    text |= column.type == detail::cell::string;
  }
  return fmt::format("#include <pappus/pappus.h>\n\n{}{}{}{}",
                     integers ? "#include <cstdint>\n" : "", "#include <iostream>\n",
                     optionals ? "#include <optional>\n" : "",
                     text ? "#include <string_view>\n" : "");
}

formats::csv_options options_of(const detail::text_layout& layout) {
  return {.delimiter = layout.delimiter,
          .header = layout.header,
          .missing = layout.missing,
          .dialect = formats::csv_dialect(layout, layout.delimiter),
          .skip = layout.skip,
          .comment = layout.comment};
}

/// All that is known of how the file is written.
template <typename Guess>
detail::text_layout layout_of(const wishes& asked, Guess&& guess) {
  const auto character = [](const std::string& text, char usual) {
    return text.empty() ? usual : text == "tab" ? '\t' : text[0];
  };
  auto layout = asked.text;
  layout.header = !asked.no_header;
  layout.decimal = character(asked.decimal, '.');
  layout.thousands = character(asked.thousands, 0);
  layout.comment = character(asked.comment, 0);
  formats::csv_options known;
  known.skip = layout.skip;
  known.comment = layout.comment;
  layout.delimiter = asked.delimiter.empty() ? guess(known) : character(asked.delimiter, ',');
  return layout;
}

/// What is told of how a CSV file is written.
bool tells_how(const wishes& asked) {
  const auto& text = asked.text;
  return asked.no_header || asked.all || text.skip != 0 ||
         !(asked.delimiter + asked.decimal + asked.thousands + asked.comment + text.date +
           text.timestamp)
              .empty() ||
         !text.missing.empty();
}

/// A program's text but for its struct and what it says of where that is from.
void print_program(const wishes& asked, const file_schema& schema, const std::string& looked_at,
                   const char* source, const std::vector<std::string>& fields,
                   const std::string& arguments) {
  const auto record = struct_of(schema, fields, asked.name);
  std::cout << looked_at;
  if (asked.only_struct) {
    std::cout << record;
    return;
  }
  std::cout << includes_for(schema) << "\n"
            << record << "\nint main(int argc, char** argv) {\n  pappus::session s{argc, argv};\n"
            << fmt::format("  auto rows = s.{}<{}>({});\n", source, asked.name, arguments)
            << "  std::cout << rows.count() << \" rows\\n\";\n  rows.show();\n}\n";
}

std::string first_of(std::size_t files) {
  return files > 1 ? fmt::format(", of {} files the first", files) : "";
}

int print_parquet_schema(const wishes& asked, const std::vector<std::string>& files) {
  if (tells_how(asked))
    throw usage_error(fmt::format(
        "schema: {}: expected no option but --name and --struct, as the file tells the rest, got "
        "another",
        asked.file));
  session s;
  const auto schema = formats::parquet_schema(files.front(), *detail::access::session(s)->memory());
  const auto fields = fields_of(schema, asked.name);
  const detail::text_layout none{.delimiter = ','};
  print_program(asked, schema,
                fmt::format("// {}{}: {} rows\n", asked.file, first_of(files.size()), schema.rows),
                "parquet", fields, arguments_of(schema, fields, asked, none, ','));
  return done;
}

int print_schema(const wishes& asked) {
  constexpr std::size_t some = std::size_t{64} << 20;
  if (identifier_of(asked.name, 1) != asked.name)
    throw usage_error(
        fmt::format("schema: --name: expected a name that C++ allows, got \"{}\"", asked.name));
  const auto files = formats::files_of({asked.file});
  if (files.front().ends_with(".parquet")) return print_parquet_schema(asked, files);
  session s;
  const interruptible guard(s);
  const auto& core = detail::access::session(s);
  auto& memory = *core->memory();
  const auto open = [&] { return formats::open_file(files.front()); };
  const bool tabs = std::string_view(formats::format_named("csv", files.front()).name) == "tsv";
  const char expected = tabs ? '\t' : ',';
  const auto layout = layout_of(asked, [&](const formats::csv_options& known) {
    return tabs ? '\t' : formats::guess_delimiter(*open(), known, memory);
  });
  auto team = core->workers();
  const auto schema =
      formats::infer_schema(open, options_of(layout), asked.all ? SIZE_MAX : some, team, memory);
  guard.check();
  const auto fields = fields_of(schema, asked.name);
  print_program(asked, schema,
                fmt::format("// {}{}: types of its {}{} rows{}\n", asked.file,
                            first_of(files.size()), schema.all ? "" : "first ", schema.rows,
                            schema.all ? "" : "; pappus schema --all looks at the rest"),
                "csv", fields, arguments_of(schema, fields, asked, layout, expected));
  return done;
}

}  // namespace

void add_schema(CLI::App& app, action& chosen) {
  auto* command = app.add_subcommand(
      "schema",
      "Prints a program that reads a CSV or Parquet file, with a struct of its columns' types");
  auto asked = std::make_shared<wishes>();
  command
      ->add_option(
          "file", asked->file,
          "A CSV file, perhaps compressed, a Parquet file, or several (\"*.csv\"), of which "
          "the first is looked at")
      ->required();
  command->add_option("--name", asked->name, "What the struct is called")->capture_default_str();
  const auto add_character = [&](const char* name, std::string& to, const char* what) {
    command->add_option(name, to, what)->check([](const std::string& text) {
      return text.size() == 1 || text == "tab"
                 ? std::string()
                 : fmt::format("expected a character or the word tab, got \"{}\"", text);
    });
  };
  add_character("--delimiter", asked->delimiter,
                "What stands between cells, or the word tab; else the first row tells");
  command->add_flag("--no-header", asked->no_header, "The first row doesn't name the columns");
  command
      ->add_option("--missing", asked->text.missing,
                   "A text that stands for a missing value, such as NA; may be given again")
      ->expected(-1)
      ->allow_extra_args(false);
  add_character("--decimal", asked->decimal, "What stands before decimals, if it isn't a point");
  add_character("--thousands", asked->thousands, "What stands between thousands");
  command->add_option("--date", asked->text.date, "How dates are written: %d/%m/%Y");
  command->add_option("--timestamp", asked->text.timestamp,
                      "How times are written: %d/%m/%Y %H:%M:%S");
  command->add_option("--skip", asked->text.skip, "Lines before the header")
      ->check(CLI::NonNegativeNumber);
  add_character("--comment", asked->comment, "What begins further lines there");
  command->add_flag("--all", asked->all, "Look at all rows, not only at the first 64 MiB");
  command->add_flag("--struct", asked->only_struct, "Print the struct alone");
  command->callback([=, &chosen] { chosen = [asked] { return print_schema(*asked); }; });
}

}  // namespace pappus::cli

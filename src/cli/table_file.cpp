#include "cli/table_file.h"

#include <string_view>

#include <fmt/format.h>

#include "formats/byte_source.h"
#include "formats/csv/csv_schema.h"
#include "formats/paths.h"
#include "pappus/error.h"

namespace pappus::cli {

void add_table_arguments(CLI::App& command, table_arguments& to) {
  command
      .add_option(
          "file", to.file,
          "A file of records (.csv, .tsv, .jsonl, .parquet, .arrow, .npy), perhaps compressed, or "
          "several "
          "(\"*.csv\"); of other names it is taken for CSV")
      ->required();
  const auto add_character = [&](const char* name, std::string& value, const char* what) {
    command.add_option(name, value, what)->check([](const std::string& text) {
      return text.size() == 1 || text == "tab"
                 ? std::string()
                 : fmt::format("expected a character or the word tab, got \"{}\"", text);
    });
  };
  add_character("--delimiter", to.delimiter,
                "CSV: what stands between cells, or the word tab; else the first row tells");
  command.add_flag("--no-header", to.no_header, "CSV: the first row doesn't name the columns");
  command
      .add_option("--missing", to.text.missing,
                  "CSV: a text that stands for a missing value, such as NA; may be given again")
      ->expected(-1)
      ->allow_extra_args(false);
  add_character("--decimal", to.decimal, "CSV: what stands before decimals, if it isn't a point");
  add_character("--thousands", to.thousands, "CSV: what stands between thousands");
  command.add_option("--date", to.text.date, "CSV: how dates are written: %d/%m/%Y");
  command.add_option("--timestamp", to.text.timestamp,
                     "CSV: how times are written: %d/%m/%Y %H:%M:%S");
  command.add_option("--skip", to.text.skip, "CSV: lines before the header")
      ->check(CLI::NonNegativeNumber);
  add_character("--comment", to.comment, "CSV: what begins further lines there");
}

namespace {

/// Whether something is told of how a CSV file is written.
bool tells_how(const table_arguments& asked) {
  const auto& text = asked.text;
  const bool some_text = !(asked.delimiter + asked.decimal + asked.thousands + asked.comment +
                           text.date + text.timestamp)
                              .empty();
  return asked.no_header || some_text || text.skip != 0 || !text.missing.empty();
}

}  // namespace

table_file find_table(const table_arguments& asked, detail::memory_source& memory) {
  table_file table;
  table.paths = formats::files_of({asked.file});
  const auto& first = table.paths.front();
  table.kind = formats::find_format(first);
  if (table.kind == nullptr) table.kind = &formats::format_named("csv", first);
  if (table.kind->look == nullptr)
    throw usage_error(
        fmt::format("{}: expected a file that tells what it holds, such as a .csv or "
                    ".jsonl, got a {} file",
                    first, table.kind->name));
  const std::string_view kind = table.kind->name;
  if (kind != "csv" && kind != "tsv" && tells_how(asked))
    throw usage_error(fmt::format(
        "{}: expected none of the options that say how a CSV file is written, as a {} file tells, "
        "got some",
        first, kind));
  table.usual_delimiter = kind == "tsv" ? '\t' : kind == "csv" ? ',' : '\0';
  const auto character = [](const std::string& text, char usual) {
    return text.empty() ? usual : text == "tab" ? '\t' : text[0];
  };
  table.text = asked.text;
  table.text.header = !asked.no_header;
  table.text.decimal = character(asked.decimal, '.');
  table.text.thousands = character(asked.thousands, 0);
  table.text.comment = character(asked.comment, 0);
  table.text.delimiter = character(asked.delimiter, table.usual_delimiter);
  if (kind == "csv" && asked.delimiter.empty()) {
    formats::csv_options known;
    known.skip = table.text.skip;
    known.comment = table.text.comment;
    table.text.delimiter = formats::guess_delimiter(*formats::open_file(first), known, memory);
  }
  return table;
}

formats::record_schema look_at(const table_file& table, std::size_t bytes, detail::workers& team,
                               detail::memory_source& memory) {
  detail::record_layout layout;
  layout.text = table.text;
  return table.kind->look(table.paths.front(), layout, bytes, team, memory);
}

}  // namespace pappus::cli

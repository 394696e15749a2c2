// A file of records that a subcommand looks at: arguments that say which, and how it is written.
#pragma once

#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "formats/registry.h"
#include "pappus/detail/base/columns.h"
#include "pappus/detail/base/memory.h"

namespace pappus::cli {

struct table_arguments {
  std::string file;
  std::string delimiter, decimal, thousands, comment;
  detail::text_layout text{};  ///< but for what is told above
  bool no_header = false;
};

/// Adds them to a subcommand. `to` must live as long.
void add_table_arguments(CLI::App& command, table_arguments& to);

/// A file that is there, and what is known of it.
struct table_file {
  std::vector<std::string> paths;         ///< at least one: those that match
  const formats::format* kind = nullptr;  ///< of the first; CSV, where its name says nothing
  detail::text_layout text{};
  char usual_delimiter = ',';  ///< of its kind

  bool is_csv() const noexcept { return usual_delimiter != 0; }
};
/// Looks for them, and at the first CSV file's first row for what stands between its cells. Throws
/// format_error where there is none, usage_error where nothing tells what such files hold.
table_file find_table(const table_arguments& asked, detail::memory_source& memory);

/// Of the first file, from `bytes` of it or a little more.
formats::record_schema look_at(const table_file& table, std::size_t bytes, detail::workers& team,
                               detail::memory_source& memory);

}  // namespace pappus::cli

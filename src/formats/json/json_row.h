// Parses one line of JSON into a record.
//
// simdjson finds the line's tokens, with the vectors of the machine; they are walked once, and only
// values that a column wants are converted. What is skipped must have its brackets and quotes
// right, no more. Most files have the same keys in the same order in all lines: a key is first
// compared with the one that stood there in the line before.
//
// Not here: cutting a file into lines; what is wrong with a line that isn't JSON (json_fault.h).
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "formats/csv/csv_strings.h"
#include "formats/json/json_plan.h"

namespace pappus::formats {

/// Thrown for a bad line: which column, if one, and what is wrong. The reader adds file and line.
struct json_problem {
  std::string key;
  std::string text;
};

/// For one worker.
class json_row_parser {
 public:
  /// So many bytes behind a line are loaded.
  static constexpr std::size_t slack_bytes = 64;

  /// The plan must outlive it.
  explicit json_row_parser(const json_plan& plan);
  ~json_row_parser();

  /// Parses a line that isn't blank into the record at `record`, and sets bytes of it that no
  /// column fills to zero. Throws json_problem for what is wrong first.
  /// \param strings  receives the text of string columns
  void parse(std::string_view line, std::byte* record, string_arena& strings);

 private:
  class impl;
  std::unique_ptr<impl> impl_;
};

/// Whether nothing stands in it.
inline bool is_blank(std::string_view line) noexcept {
  return line.find_first_not_of(" \t\r") == line.npos;
}

bool is_utf8(std::string_view text) noexcept;

}  // namespace pappus::formats

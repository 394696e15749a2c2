// Reads Debian control files: stanzas of fields (deb822(5)).
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "demo/support/byte_stream.h"

namespace demo {

/// One paragraph of `Name: value` fields. Valid until the reader's next call.
class stanza {
 public:
  struct field {
    std::size_t name_begin, name_end, value_begin, value_end;  ///< offsets into the text
    std::int64_t line;
  };

  /// The field's value without the space around it; lines of a folded value stay separated by
  /// newlines. Empty where there is no such field. Names match in either case.
  std::string_view operator[](std::string_view name) const;
  /// Where the field, or for an absent one the stanza, begins: a line number, from 1.
  std::int64_t line_of(std::string_view name) const;

 private:
  friend class control_file;
  const field* find(std::string_view name) const;

  std::string text_;
  std::vector<field> fields_;
  std::int64_t first_line_ = 1;
};

class control_file {
 public:
  /// Throws pappus::format_error as open_bytes() does.
  explicit control_file(const std::string& path);

  /// Reads the next stanza; false at the end. Throws pappus::format_error naming the line where the
  /// text is not a control file or breaks off inside a line.
  bool next(stanza& out);

  const std::string& path() const noexcept { return path_; }

 private:
  bool next_line();
  void add_line(stanza& out) const;

  std::string path_;
  std::unique_ptr<byte_stream> bytes_;
  std::string buffer_;
  std::size_t begin_ = 0;  ///< of the unread part of the buffer
  std::string_view line_;
  std::int64_t line_number_ = 0;
};

}  // namespace demo

// The file formats, found by the end of a file's name or by their own.
#pragma once

#include <memory>
#include <string>

#include "formats/format.h"
#include "formats/record_schema.h"

namespace pappus::formats {

/// A file format: how to open and create its files.
struct format {
  const char* name;    ///< "csv"
  const char* suffix;  ///< ".csv"
  std::unique_ptr<reader> (*open)(const std::string& path, const detail::record_layout& layout,
                                  detail::memory_source& memory);
  std::unique_ptr<writer> (*create)(const std::string& path, const detail::record_layout& layout,
                                    detail::memory_source& memory);
  /// The columns of a file, told by looking at `bytes` of it or a little more. Null where a file
  /// doesn't tell. Of the layout, the text's is used.
  record_schema (*look)(const std::string& path, const detail::record_layout& layout,
                        std::size_t bytes, detail::workers& team,
                        detail::memory_source& memory) = nullptr;
  /// Puts records behind those of a file, which is created where it isn't there. Null: files of the
  /// format can't grow.
  std::unique_ptr<writer> (*append)(const std::string& path, const detail::record_layout& layout,
                                    detail::memory_source& memory) = nullptr;
  /// Of the values of a column in some rows at a time, so that its readers may leave rows out.
  bool tells_ranges = false;
};

/// The format that the end of a path says; null: none.
const format* find_format(const std::string& path) noexcept;

/// The format of a path. Throws usage_error listing the known suffixes for any other.
const format& format_of(const std::string& path);

/// The format of a path whose files can grow. Throws usage_error for others.
const format& growing_format_of(const std::string& path);

/// The format called `name`, which is "lines", too; of the CSV formats the one that a path says.
/// Throws usage_error listing the known names for any other.
const format& format_named(const std::string& name, const std::string& path);

}  // namespace pappus::formats

// The file formats, found by the end of a file's name or by their own.
#pragma once

#include <memory>
#include <string>

#include "formats/format.h"

namespace pappus::formats {

/// A file format: how to open and create its files.
struct format {
  const char* name;    ///< "csv"
  const char* suffix;  ///< ".csv"
  std::unique_ptr<reader> (*open)(const std::string& path, const detail::record_layout& layout,
                                  detail::memory_source& memory);
  std::unique_ptr<writer> (*create)(const std::string& path, const detail::record_layout& layout,
                                    detail::memory_source& memory);
};

/// The format of a path. Throws usage_error listing the known suffixes for any other.
const format& format_of(const std::string& path);

/// The format called `name`, which is "lines", too; of the CSV formats the one that a path says.
/// Throws usage_error listing the known names for any other.
const format& format_named(const std::string& name, const std::string& path);

}  // namespace pappus::formats

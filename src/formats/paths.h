// Paths that stand for several files.
#pragma once

#include <string>
#include <vector>

namespace pappus::formats {

/// Each path, or where it has * ? [..] in it and isn't a file's name as it is, the files that it
/// matches, sorted by name; a * stands for no names that begin with a dot, and for no '/'. Throws
/// format_error where there are none, and of a folder, usage_error where there are no paths.
std::vector<std::string> files_of(const std::vector<std::string>& paths);

/// For messages and explain: "a.csv" of one file, else what was asked for: "*.csv (12 files)".
std::string shown_paths(const std::vector<std::string>& paths, std::size_t files);

}  // namespace pappus::formats

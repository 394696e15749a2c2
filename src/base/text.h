// How quantities and names are written in messages, explain and the command line, and how sizes and
// lists are read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

namespace pappus::base {

/// "1.5 GiB", "64 KiB", "12 B".
std::string bytes_text(double bytes);
/// "1,000,000".
std::string count_text(std::int64_t n);
/// "1.2 s", "34 ms", "5.6 us".
std::string time_text(double seconds);

/// Reads "8GiB", "512M", "1.5 GB", "4096". Throws usage_error naming `what`.
std::size_t parse_bytes(std::string_view text, std::string_view what);
/// Reads a whole number from `least` to `most`. Throws usage_error naming `what`.
std::int64_t parse_count(std::string_view text, std::string_view what, std::int64_t least,
                         std::int64_t most = std::numeric_limits<std::int64_t>::max());

/// Without the spaces and tabs at both ends.
std::string_view trimmed(std::string_view text) noexcept;
/// The names between commas, trimmed; one more than there are commas. They point into `list`.
std::vector<std::string_view> comma_list(std::string_view list);
/// The text in double quotes, as a literal of C and of Graphviz, on one line: quotes, backslashes
/// and newlines are escaped, other control characters become spaces.
std::string quoted(std::string_view text);

}  // namespace pappus::base

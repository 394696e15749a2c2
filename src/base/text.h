// How quantities are written in messages, explain and the command line, and how sizes are read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

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

}  // namespace pappus::base

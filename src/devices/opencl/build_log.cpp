#include "devices/opencl/build_log.h"

#include <algorithm>
#include <charconv>

namespace pappus::devices::opencl {
namespace {

struct place {
  std::string_view name;  // empty: no directive gives one
  long line = 0;
};

/// A line such as #line 7 "name".
bool is_directive(std::string_view line, place& gives) {
  constexpr std::string_view begin = "#line ";
  line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
  if (!line.starts_with(begin)) return false;
  line.remove_prefix(begin.size());
  const auto read = std::from_chars(line.data(), line.data() + line.size(), gives.line);
  if (read.ec != std::errc()) return false;
  const auto first = line.find('"'), last = line.rfind('"');
  if (first != line.npos && first < last) gives.name = line.substr(first + 1, last - first - 1);
  return true;
}

/// Where line `number` of the whole text, from 1, is by its directives.
place given_place(std::string_view text, long number) {
  place at{{}, 1};
  for (long line = 1; line < number && !text.empty(); ++line) {
    const auto end = text.find('\n');
    if (!is_directive(text.substr(0, end), at)) ++at.line;
    text.remove_prefix(end == text.npos ? text.size() : end + 1);
  }
  return at;
}

}  // namespace

std::string with_given_places(const std::string& log, std::string_view text) {
  constexpr std::string_view nameless = "<kernel>:";
  std::string placed;
  std::size_t done = 0;
  for (auto at = log.find(nameless); at != log.npos; at = log.find(nameless, at + 1)) {
    const char* const digits = log.data() + at + nameless.size();
    long number = 0;
    const auto read = std::from_chars(digits, log.data() + log.size(), number);
    const place found = read.ec == std::errc() ? given_place(text, number) : place{};
    if (found.name.empty()) continue;
    placed += log.substr(done, at - done);
    placed += found.name;
    placed += ':' + std::to_string(found.line);
    done = static_cast<std::size_t>(read.ptr - log.data());
  }
  return placed + log.substr(done);
}

std::string first_error(const std::string& log) {
  std::size_t begin = log.find("error:");
  if (begin == std::string::npos) return {};
  const std::size_t end = std::min(log.find('\n', begin), log.size());
  const std::size_t before = log.rfind('\n', begin);
  begin = before == std::string::npos ? 0 : before + 1;
  return ": " + log.substr(begin, end - begin);
}

}  // namespace pappus::devices::opencl

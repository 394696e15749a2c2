#include "pappus/device_code.h"

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string_view>

#include <fmt/format.h>

#include "pappus/error.h"

namespace pappus {
namespace {

/// An empty name would even compile: (x) is x.
void check_name(const std::string& function, std::string_view asked) {
  const auto in_name = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
  };
  if (function.empty() || !std::ranges::all_of(function, in_name) ||
      std::isdigit(static_cast<unsigned char>(function.front())) != 0)
    throw usage_error(fmt::format(
        "{}: expected the name of a function in device code, such as nearest, got \"{}\"", asked,
        function));
}

}  // namespace

device_code device_file(const std::string& path, std::string function) {
  check_name(function, "device_file");
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  std::string text;
  bool failed = !file.is_open();
  try {
    text.assign(std::istreambuf_iterator<char>(file), {});
  } catch (const std::ios_base::failure&) {  // of a folder, for one
    failed = true;
  }
  if (failed)
    throw format_error(
        fmt::format("{}: expected a file with device code for {}, got {}; check the path", path,
                    function, errno != 0 ? std::strerror(errno) : "an error while reading"));
  return {std::move(text), path, std::move(function)};
}

device_code device_text(std::string function, std::string text, std::source_location where) {
  check_name(function, "device_text");
  std::string_view file = where.file_name();
  if (const auto slash = file.rfind('/'); slash != std::string_view::npos)
    file.remove_prefix(slash + 1);
  auto origin = fmt::format("the text of {}, given at {}:{}", function, file, where.line());
  return {std::move(text), std::move(origin), std::move(function)};
}

}  // namespace pappus

#include "chunk_loop/dump.h"

#include <cctype>
#include <filesystem>
#include <fstream>
#include <functional>
#include <mutex>
#include <system_error>

#include <fmt/format.h>

#include "base/environment.h"

namespace pappus::chunk_loop {
namespace {

std::string file_name(const program& what, std::string_view kernel) {
  std::string name;
  for (const char c : what.label)
    name += std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
  return fmt::format("{}-{:016x}-{}.cl", name, std::hash<std::string>()(*what.text), kernel);
}

}  // namespace

void dump(const program& what, std::string_view kernel) {
  const char* folder = base::environment("PAPPUS_DUMP");
  if (folder == nullptr || !what.text) return;
  std::error_code ignored;
  std::filesystem::create_directories(folder, ignored);
  const auto path = std::filesystem::path(folder) / file_name(what, kernel);
  std::ofstream file(path);
  file << *what.text;
  if (file.flush()) return;
  static std::once_flag told;
  std::call_once(told, [&] {
    fmt::print(stderr, "pappus: PAPPUS_DUMP: {} can't be written\n", path.string());
  });
}

}  // namespace pappus::chunk_loop

// Options on the command line: ours are taken out, the program's own are left alone.
#include <cstring>
#include <string_view>

#include "base/text.h"
#include "session/core.h"

namespace pappus {
namespace {

options take_options(int& argc, char** argv) {
  options settings;
  int kept = argc > 0 ? 1 : 0;
  for (int i = 1; i < argc; ++i) {
    const std::string_view argument = argv[i];
    const auto value_of = [&](std::string_view name) -> std::string_view {
      return argument.substr(name.size());
    };
    if (constexpr std::string_view name = "--pappus-threads="; argument.starts_with(name))
      settings.threads = static_cast<unsigned>(base::parse_count(value_of(name), name, 1));
    else if (constexpr std::string_view name = "--pappus-host-memory="; argument.starts_with(name))
      settings.host_memory = base::parse_bytes(value_of(name), name);
    else if (constexpr std::string_view name = "--pappus-chunk-rows="; argument.starts_with(name))
      settings.chunk_rows = base::parse_count(value_of(name), name, 1);
    else if (constexpr std::string_view name = "--pappus-trace="; argument.starts_with(name))
      settings.trace = value_of(name);
    else
      argv[kept++] = argv[i];
  }
  if (kept < argc) argv[kept] = nullptr;
  argc = kept;
  return settings;
}

}  // namespace

session::session(int& argc, char** argv) : session(take_options(argc, argv)) {}

}  // namespace pappus

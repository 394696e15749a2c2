// Options on the command line: ours are taken out, the program's own are left alone.
#include <cstring>
#include <string_view>

#include "base/text.h"
#include "session/settings.h"

namespace pappus {
namespace {

options take_options(int& argc, char** argv) {
  options settings;
  int kept = argc > 0 ? 1 : 0;
  for (int i = 1; i < argc; ++i) {
    const std::string_view argument = argv[i];
    const auto equals = argument.find('=');
    const auto name = argument.substr(0, equals);
    const auto value =
        equals == std::string_view::npos ? std::string_view{} : argument.substr(equals + 1);
    if (name == "--pappus-threads")
      settings.threads =
          static_cast<unsigned>(base::parse_count(value, name, 1, detail::threads_max));
    else if (name == "--pappus-host-memory")
      settings.host_memory = base::parse_bytes(value, name);
    else if (name == "--pappus-chunk-rows")
      settings.chunk_rows = base::parse_count(value, name, 1);
    else if (name == "--pappus-devices")
      settings.devices = value;
    else if (name == "--pappus-device-memory")
      settings.device_memory = base::parse_bytes(value, name);
    else if (name == "--pappus-spill")
      settings.spill = value;
    else if (name == "--pappus-spill-size")
      settings.spill_size = base::parse_bytes(value, name);
    else if (name == "--pappus-trace")
      settings.trace = value;
    else if (name == "--pappus-report")
      settings.report = value;
    else
      argv[kept++] = argv[i];
  }
  if (kept < argc) argv[kept] = nullptr;
  argc = kept;
  return settings;
}

}  // namespace

session::session(int& argc, char** argv, detail::build_settings)
    : session(take_options(argc, argv)) {}

}  // namespace pappus

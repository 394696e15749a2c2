// pappus devices: what there is, how fast it is, and what a session would use.
#include <unistd.h>

#include <fstream>
#include <iostream>
#include <memory>
#include <string>

#include <fmt/format.h>

#include "base/text.h"
#include "bench/system/team.h"
#include "bench/system/triad.h"
#include "cli/command.h"
#include "pappus/session.h"

namespace pappus::cli {
namespace {

std::string processor_name() {
  std::ifstream info("/proc/cpuinfo");
  for (std::string line; std::getline(info, line);)
    if (line.starts_with("model name"))
      if (const auto colon = line.find(": "); colon != std::string::npos)
        return line.substr(colon + 2);
  return "unknown processor";
}

std::string cache_text(int name) {
  const long bytes = ::sysconf(name);
  return bytes > 0 ? base::bytes_text(static_cast<double>(bytes)) : "?";
}

const char* vectors() {
#if defined(__AVX512F__)
  return "AVX-512";
#elif defined(__AVX2__)
  return "AVX2";
#elif defined(__ARM_NEON)
  return "NEON";
#else
  return "the baseline of the architecture";
#endif
}

int show(bool measure) {
  session s;
  std::cout << fmt::format("cpu: {}\n", processor_name());
  std::cout << fmt::format("  threads        {}\n", s.threads());
  std::cout << fmt::format("  caches         {} L1 and {} L2 a core, {} L3\n",
                           cache_text(_SC_LEVEL1_DCACHE_SIZE), cache_text(_SC_LEVEL2_CACHE_SIZE),
                           cache_text(_SC_LEVEL3_CACHE_SIZE));
  std::cout << fmt::format("  compiled for   {}\n", vectors());
  std::cout << fmt::format("  memory budget  {} (PAPPUS_HOST_MEMORY changes it)\n",
                           base::bytes_text(static_cast<double>(s.host_memory())));
  if (measure) {
    bench::team workers(static_cast<int>(s.threads()));
    std::cout << fmt::format("  memory rate    {:.1f} GB/s (triad, all threads)\n",
                             bench::triad_bytes_per_s(workers) / 1e9);
  }
  return done;
}

}  // namespace

void add_devices(CLI::App& app, action& chosen) {
  auto* command = app.add_subcommand("devices", "Lists the devices queries can run on");
  auto measure = std::make_shared<bool>(false);
  command->add_flag("--measure", *measure,
                    "Measure the memory's rate too (about a second, up to 1.5 GB)");
  command->callback([=, &chosen] { chosen = [measure] { return show(*measure); }; });
}

}  // namespace pappus::cli

#include "session/settings.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/environment.h"
#include "base/text.h"
#include "memory/pool.h"
#include "pappus/error.h"
#include "threads/team.h"

namespace pappus::detail {

options resolved(options settings) {
  if (settings.threads == 0) {
    const char* text = base::environment("PAPPUS_THREADS");
    settings.threads =
        text != nullptr
            ? static_cast<unsigned>(base::parse_count(text, "PAPPUS_THREADS", 1, threads_max))
            : threads::available_cores();
  }
  if (settings.threads > threads_max)
    throw usage_error(fmt::format("options::threads: expected at most {}, got {}", threads_max,
                                  settings.threads));
  if (settings.host_memory == 0) {
    const char* text = base::environment("PAPPUS_HOST_MEMORY");
    settings.host_memory =
        text != nullptr ? base::parse_bytes(text, "PAPPUS_HOST_MEMORY") : memory::default_limit();
  }
  if (settings.chunk_rows == 0)
    if (const char* text = base::environment("PAPPUS_CHUNK_ROWS"))
      settings.chunk_rows = base::parse_count(text, "PAPPUS_CHUNK_ROWS", 1);
  if (settings.chunk_rows < 0)
    throw usage_error(
        fmt::format("options::chunk_rows: expected 0 (the planner's choice) or more, "
                    "got {}",
                    settings.chunk_rows));
  // More rows than memory holds is one chunk; the bound keeps sums of sizes within 64 bits.
  settings.chunk_rows = std::min(settings.chunk_rows, std::int64_t{1} << 40);
  if (settings.devices.empty())
    if (const char* text = base::environment("PAPPUS_DEVICES")) settings.devices = text;
  if (settings.device_memory == 0)
    if (const char* text = base::environment("PAPPUS_DEVICE_MEMORY"))
      settings.device_memory = base::parse_bytes(text, "PAPPUS_DEVICE_MEMORY");
  if (settings.spill.empty())
    if (const char* text = base::environment("PAPPUS_SPILL")) settings.spill = text;
  if (!settings.spill.empty() && settings.spill != "off")
    if (const auto why = memory::why_no_spill_folder(settings.spill); !why.empty())
      throw usage_error(
          fmt::format("PAPPUS_SPILL or options::spill: expected off or a folder on a disk that can "
                      "be written to, got {}: {}",
                      settings.spill, why));
  if (settings.spill_size == 0)
    if (const char* text = base::environment("PAPPUS_SPILL_SIZE"))
      settings.spill_size = base::parse_bytes(text, "PAPPUS_SPILL_SIZE");
  if (settings.launch.empty())
    if (const char* text = base::environment("PAPPUS_LAUNCH")) settings.launch = text;
  if (settings.trace.empty())
    if (const char* text = base::environment("PAPPUS_TRACE")) settings.trace = text;
  if (settings.report.empty())
    if (const char* text = base::environment("PAPPUS_REPORT")) settings.report = text;
  return settings;
}

memory::spill_settings spill_settings_of(const options& settings) {
  const char* const io = base::environment("PAPPUS_IO");
  const bool off = settings.spill == "off";
  return {off, off ? "" : settings.spill, settings.spill_size, io != nullptr ? io : ""};
}

}  // namespace pappus::detail

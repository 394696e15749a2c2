#include "base/environment.h"

#include <cstdlib>

#include <fmt/format.h>

namespace pappus::base {
namespace {

constexpr variable known[] = {
    {"PAPPUS_THREADS", "threads of a session", "all cores the process may use"},
    {"PAPPUS_HOST_MEMORY", "memory of a session: 8GiB", "80 % of what is free"},
    {"PAPPUS_CHUNK_ROWS", "rows a chunk; never changes a result", "the planner's choice"},
    {"PAPPUS_DEVICES", "where queries may run: cpu, opencl:0,opencl:1",
     "wherever they are fastest"},
    {"PAPPUS_DEVICE_MEMORY", "memory of a session on each device", "9/10 of the device's"},
    {"PAPPUS_SPILL",
     "folder on a disk where rows of cache() go when memory is short; off: they stay in memory",
     "TMPDIR, /var/tmp"},
    {"PAPPUS_SPILL_SIZE", "the most that goes there", "half of what is free there"},
    {"PAPPUS_IO",
     "for tests: faults of that disk: faulty:seed=7+short=0.1+eio=0.001+full=64MiB+flip=0.0005"
     "+delay_us=50",
     "none"},
    {"PAPPUS_CATEGORY_MEMORY", "the most memory for the texts of categories of all sessions",
     "1 GiB"},
    {"PAPPUS_TRACE", "file that a trace of every query is written to", "no trace"},
    {"PAPPUS_REPORT", "file that a page about every query is written to when the session ends",
     "no page"},
    {"PAPPUS_EXPLAIN",
     "text or dot: print how the first query would run, and end; text:3: the third; svg:1:FILE: "
     "draw the first launches that wait",
     "queries run"},
    {"PAPPUS_CHECK",
     "access: launches must be compiled with checks of what they touch; none: none are made",
     "launches that are compiled with checks make them"},
    {"PAPPUS_LAUNCH",
     "eager: for_each waits until it has run; lazy: launches run when somebody waits, not before",
     "launches gather for a moment, and run"},
    {"PAPPUS_CACHE", "folder of compiled kernels; off: none are kept",
     "$XDG_CACHE_HOME/pappus/kernels, ~/.cache/pappus/kernels"},
    {"PAPPUS_CACHE_SIZE", "the most that compiled kernels may take", "256 MiB"},
    {"PAPPUS_MACHINE", "file of the rates that pappus devices --measure found",
     "$XDG_CACHE_HOME/pappus/machine.json, ~/.cache/pappus/machine.json"},
    {"PAPPUS_DUMP", "folder that the text of each kernel is written to", "none is written"},
    {"PAPPUS_LEVEL", "v2, v3 or v4: the level of x86-64 whose vectors the library uses",
     "the processor's"},
    {"PAPPUS_ARROW_LIBRARY", "the library that reads Parquet and Arrow files",
     "libpappus-arrow.so beside Pappus"},
    {"PAPPUS_OPENCL_LIBRARY", "the OpenCL library", "libOpenCL.so.1"},
    {"PAPPUS_OPENCL_LIKE", "gpu: its devices are taken for GPUs with memory of their own",
     "what they say of themselves"},
};

}  // namespace

std::span<const variable> variables() { return known; }

const char* environment(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr && *value != '\0' ? value : nullptr;
}

std::string environment_help() {
  std::string text = "Environment:\n";
  for (const auto& v : known)
    text += fmt::format("  {:<23}{}\n  {:<23}otherwise: {}\n", v.name, v.meaning, "", v.otherwise);
  return text;
}

}  // namespace pappus::base

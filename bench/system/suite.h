// The benchmarks as a list, and the frame each of them runs in: inputs, versions to compare,
// checksums.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "pappus/pappus.h"
#include "system/harness.h"
#include "system/opencl_host.h"
#include "system/team.h"

namespace pappus::bench {

/// What the command line chose; 0 means the benchmark's default.
struct settings {
  std::int64_t n = 0;
  std::uint64_t seed = 42;
  int threads = 0;
  int repeat = 5;
  std::int64_t keys = 100;  ///< groupby
  bool domain = false;      ///< groupby: the keys are known to be below `keys`
  int k = 10, d = 20;       ///< kmeans
  bool sequential = true;   ///< also time the sequential version
  std::string devices{};    ///< where the Pappus version may run: "opencl:0"; empty: its default
  bool resident = false;    ///< on devices: inputs are there before timing
  bool cold = false;        ///< files: out of the page cache before each run
};

/// What all versions of a benchmark share during a run.
struct stage {
  const settings& asked;
  team& workers;                      ///< for inputs and hand-written versions
  session& engine;                    ///< for the Pappus version
  double triad;                       ///< bytes a second
  std::function<void()> check;        ///< called before each run; throws to end the benchmark
  const opencl::device_list& opencl;  ///< for versions hand-written in OpenCL; empty: none
};

/// One version: what is timed, and how its last result is summed up afterwards.
struct version {
  std::string name;
  std::function<void()> run;
  std::function<std::string()> checksum;
  std::string device{};  ///< empty: the session's devices for Pappus, the CPU for others
};

struct benchmark {
  const char* name;
  const char* what;
  std::int64_t default_n;
  double bound;      ///< Pappus / hand-written should not exceed this (bound_of); 0: no bound
  double tolerance;  ///< relative, of the floating-point parts of the checksum
  std::vector<result> (*run)(const stage& on, std::int64_t n);
};

/// All benchmarks, in the order of the report.
std::span<const benchmark> benchmarks();

/// The bound of a result: its benchmark's, or that of its variant of it.
double bound_of(const benchmark& what, std::string_view result);

/// The result of a version; null: there is none.
const result* find(std::span<const result> results, std::string_view version);

/// Whether two checksums agree: parts between '/' equal, or numbers with a decimal point within the
/// relative tolerance, or "-", of a version that can't tell that part.
/// \param tolerances  of the parts from the first one; the last is for those that follow, too
bool agree(std::string_view a, std::string_view b, std::span<const double> tolerances);
bool agree(std::string_view a, std::string_view b, double tolerance);

/// The names of the versions hand-written in OpenCL: with kernels like Pappus's, and with kernels
/// for devices like a CPU.
inline constexpr const char* opencl_version = "opencl";
inline constexpr const char* opencl_cpu_version = "opencl_cpu";

/// Times the versions in alternation and fills in results. The sequential version is left out if
/// the settings say so.
/// \param before  called before each timed run, beside the clock
std::vector<result> compare(const stage& on, std::string name, std::int64_t n, double min_bytes,
                            std::vector<version> versions,
                            const std::function<void()>& before = {});

}  // namespace pappus::bench

// pappus-bench: times the workloads in their versions, in one run, and compares their checksums.
// `pappus bench` starts it; a program of its own, it needn't be built for `pappus` to be.
#include <algorithm>
#include <fstream>
#include <iostream>
#include <memory>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "cli/command.h"
#include "cli/interrupt.h"
#include "command/peers.h"
#include "command/ratio_chart.h"
#include "pappus/error.h"
#include "system/cgroup.h"
#include "system/known.h"
#include "system/suite.h"
#include "system/triad.h"

namespace pappus::bench {
namespace {

struct choices {
  std::string name;
  bool all = false, json = false, peers = false;
  std::string svg;
  settings asked;
};

/// One entry of a run: a benchmark with the settings that make it one of its variants.
struct entry {
  const benchmark* what;
  std::string title;
  settings asked;
};

void print_json(const result& r, const benchmark& of) {
  if (!r.skipped.empty()) {
    const nlohmann::ordered_json line{
        {"name", r.name}, {"version", r.version}, {"device", r.device}, {"skipped", r.skipped}};
    std::cout << line.dump() << std::endl;
    return;
  }
  nlohmann::ordered_json line{{"name", r.name},
                              {"version", r.version},
                              {"device", r.device},
                              {"n", r.n},
                              {"seed", r.seed},
                              {"threads", r.threads},
                              {"median_s", r.median_s},
                              {"min_s", r.min_s},
                              {"checksum", r.checksum},
                              {"floor_s", r.floor_s},
                              {"bound", bound_of(of, r.name)}};
  if (r.budget_bytes > 0) {
    line["budget_bytes"] = r.budget_bytes;
    line["cgroup_bytes"] = cgroup_memory_bytes();
  }
  std::cout << line.dump() << std::endl;
}

std::string ratio_to(const result* best, const result& r) {
  if (best == nullptr || best == &r || !best->skipped.empty()) return "-";
  return fmt::format("{:.2f}", r.median_s / best->median_s);
}

constexpr const char* header =
    "{:<22} {:<15} {:<10} {:>3} {:>12} {:>8} {:>8} {:>8} {:>8} {:>9}  {}\n";

void print_header() {
  std::cout << fmt::format(fmt::runtime(header), "name", "version", "device", "thr", "median",
                           "/ hand", "/ opencl", "/ cl cpu", "/ duckdb", "/ floor", "checksum")
            << std::flush;
}

void print_table(const std::vector<result>& results) {
  const result* best = find(results, "handwritten");
  const result* opencl = find(results, opencl_version);
  const result* opencl_cpu = find(results, opencl_cpu_version);
  for (const auto& r : results) {
    if (r.skipped.empty())
      std::cout << fmt::format(fmt::runtime(header), r.name, r.version, r.device, r.threads,
                               base::time_text(r.median_s), ratio_to(best, r), ratio_to(opencl, r),
                               ratio_to(opencl_cpu, r), ratio_to(duckdb_beside(results, r), r),
                               fmt::format("{:.2f}", r.median_s / r.floor_s), r.checksum);
    else
      std::cout << fmt::format("{:<22} {:<15} {:<10} SKIP: {}\n", r.name, r.version, r.device,
                               r.skipped);
    std::cout << std::flush;
  }
}

/// Where there are budgets: whether the page cache has one, too. Files that are written through it,
/// as DuckDB's spilled rows are, may never see the disk where it has none.
void print_page_cache(const std::vector<result>& results) {
  if (std::ranges::all_of(results, [](const result& r) { return r.budget_bytes == 0; })) return;
  const auto bytes = cgroup_memory_bytes();
  std::cout << (bytes == 0 ? "the page cache is not limited by a cgroup\n"
                           : fmt::format("a cgroup limits the process, its page cache and peers to "
                                         "{}\n",
                                         base::bytes_text(static_cast<double>(bytes))))
            << std::flush;
}

/// False, with a line on stderr, when a version's checksum differs from the first one's, or from
/// what is known for this size.
bool checksums_agree(const benchmark& b, const std::vector<result>& results) {
  bool all = true;
  const auto first =
      std::ranges::find_if(results, [](const result& r) { return r.skipped.empty(); });
  for (const auto& r : results)
    if (r.skipped.empty() && !agree(r.checksum, first->checksum, b.tolerance)) {
      std::cerr << fmt::format(
          "pappus: bench {}: expected checksum {} as in version {}, got {} in version {}\n", r.name,
          first->checksum, first->version, r.checksum, r.version);
      all = false;
    }
  for (const auto& r : results)
    if (const auto* known = known_for(r); r.skipped.empty() && known != nullptr &&
                                          !agree(r.checksum, known->checksum, known->tolerances)) {
      std::cerr << fmt::format(
          "pappus: bench {}: expected the known checksum {}, got {} in version {}\n", r.name,
          known->checksum, r.checksum, r.version);
      all = false;
    }
  return all;
}

std::string names_and_purposes() {
  std::string text;
  for (const auto& b : benchmarks()) text += fmt::format("\n  {:<22} {}", b.name, b.what);
  return text;
}

/// The benchmark of that name, or all whose names begin with it and "_".
std::vector<entry> entries_named(const choices& c) {
  std::vector<entry> list;
  for (const auto& b : benchmarks())
    if (b.name == c.name || std::string_view(b.name).starts_with(c.name + "_"))
      list.push_back({&b, b.name, c.asked});
  if (!list.empty()) return list;
  throw usage_error(
      fmt::format("bench: expected the name of a benchmark or --all, got \"{}\"; there are{}",
                  c.name, names_and_purposes()));
}

bool has_arrays_in_files(std::string_view name) {
  return name.starts_with("vmscope") || name == "bess" || name == "composite" || name == "anomaly";
}

std::vector<entry> entries(const choices& c) {
  if (!c.all) return entries_named(c);
  std::vector<entry> list;
  for (const auto& b : benchmarks()) {
    const std::string name = b.name;
    auto s = c.asked;
    if (name == "groupby") {
      for (const std::int64_t keys : {100, 1'000'000})
        for (const bool domain : {true, false}) {
          s.keys = keys;
          s.domain = domain;
          list.push_back({&b, name, s});
        }
    } else if (name == "kmeans") {
      for (const auto& [k, d] : {std::pair{10, 20}, std::pair{80, 40}}) {
        s.k = k;
        s.d = d;
        list.push_back({&b, name, s});
      }
    } else if (has_arrays_in_files(name)) {
      for (const bool cold : {false, true}) {
        s.cold = cold;
        list.push_back({&b, name, s});
      }
    } else {
      list.push_back({&b, name, s});
    }
  }
  return list;
}

int run(const choices& c) {
  if (c.name.empty() == !c.all)
    throw usage_error(
        "bench: expected either the name of a benchmark or --all; see pappus bench --help");
  const auto devices = opencl::named(c.asked.devices);
  const bool on_gpu = !devices.empty() && !opencl::are_processors(devices);
  session engine(options{.threads = static_cast<unsigned>(c.asked.threads),
                         .devices = c.asked.devices,
                         .progress = 0});
  const cli::interruptible guard(engine);
  team workers(static_cast<int>(engine.threads()));
  const double triad = triad_bytes_per_s(workers);
  if (!c.json) {
    std::cout << fmt::format("memory rate {:.1f} GB/s (triad, {} threads)\n", triad / 1e9,
                             engine.threads());
    print_header();
  }
  bool agreed = true;
  std::vector<chart_bar> bars;
  for (const auto& e : entries(c)) {
    const stage on{e.asked, workers, engine, triad, [&] { guard.check(); }, devices};
    auto results = e.what->run(on, c.asked.n > 0 ? c.asked.n : e.what->default_n);
    if (c.peers && !results.empty())
      for (auto& peer : run_peers(*e.what, e.asked, results, workers.threads(), on_gpu))
        results.push_back(std::move(peer));
    if (c.json) {
      for (const auto& r : results) print_json(r, *e.what);
    } else {
      print_table(results);
      print_page_cache(results);
    }
    agreed = checksums_agree(*e.what, results) && agreed;
    const auto *ours = find(results, "pappus"), *best = find(results, "handwritten");
    if (ours != nullptr && best != nullptr)
      bars.push_back({ours->name, ours->median_s / best->median_s, bound_of(*e.what, ours->name)});
  }
  for (const auto& fault : engine.device_faults()) std::cerr << "pappus: bench: " << fault << "\n";
  if (!c.svg.empty()) {
    std::ofstream file(c.svg);
    file << ratio_chart(
        bars, fmt::format("{} threads, triad {:.0f} GB/s", engine.threads(), triad / 1e9));
    if (!file.flush())
      throw format_error(fmt::format("{}: the chart can't be written there", c.svg));
  }
  return agreed ? cli::done : cli::failed;
}

/// Declares the options; `app` has them filled in when it parses.
void add_options(CLI::App& app, choices& c) {
  app.footer("Benchmarks:" + names_and_purposes());
  app.add_option("name", c.name, "Which benchmark, or how the names of several begin: generated");
  app.add_flag("--all", c.all, "All benchmarks in all variants");
  app.add_option("--n", c.asked.n, "Size; default: the benchmark's own")
      ->check(CLI::PositiveNumber);
  app.add_option("--seed", c.asked.seed, "Seed of the inputs")->capture_default_str();
  app.add_option("--threads", c.asked.threads, "Threads; default: all cores")
      ->check(CLI::PositiveNumber);
  app.add_option("--repeat", c.asked.repeat, "Timed runs after a warm-up, at least 3")
      ->capture_default_str();
  app.add_option("--keys", c.asked.keys, "groupby: number of keys")
      ->capture_default_str()
      ->check(CLI::PositiveNumber);
  app.add_flag("--domain", c.asked.domain, "groupby: the key domain is known");
  app.add_option("--k", c.asked.k, "kmeans: clusters")
      ->capture_default_str()
      ->check(CLI::PositiveNumber);
  app.add_option("--d", c.asked.d, "kmeans: dimensions (8, 20 or 40)")->capture_default_str();
  app.add_flag("!--no-sequential", c.asked.sequential, "Leave out the sequential version");
  app.add_option("--devices", c.asked.devices,
                 "Where Pappus may run (opencl:0,opencl:1); where these are OpenCL devices like a "
                 "processor, also times versions hand-written in OpenCL");
  app.add_flag("--resident", c.asked.resident, "On devices: inputs are there before timing");
  app.add_flag(
      "--cold", c.asked.cold,
      "vmscope, bess, composite, anomaly: files are out of the page cache before each run, "
      "of vmscope_write on the disk after it");
  app.add_flag(
      "--peers", c.peers,
      "Also time NumPy, SciPy, scikit-learn, DuckDB, Polars, h5py, zarr, TensorStore and Dask, "
      "where python3 has them: of scan, sort, mapfiltersum, groupby, join, kmeans, pagerank, "
      "vmscope, bess, composite, anomaly and outofcore; "
      "with --devices that are GPUs, CuPy and CUDA instead, also of sum and blackscholes");
  app.add_flag("--json", c.json, "One JSON object a line");
  app.add_option("--svg", c.svg, "Draw the ratios to this file");
}

}  // namespace
}  // namespace pappus::bench

int main(int argc, char** argv) {
  CLI::App app("Times a workload: sequential loop, best hand-written parallel code, Pappus",
               "pappus bench");
  pappus::bench::choices chosen;
  pappus::bench::add_options(app, chosen);
  return pappus::cli::run_command(app, argc, argv, [&] { return pappus::bench::run(chosen); });
}

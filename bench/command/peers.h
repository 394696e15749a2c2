// What else a user might take, timed beside a benchmark: Python's libraries (system/peers.py).
#pragma once

#include <span>
#include <vector>

#include "system/suite.h"

namespace pappus::bench {

/// Runs the libraries' versions of a benchmark one after another, where python3 has them; a version
/// that it lacks, or that fails, is skipped with the reason. Empty for benchmarks that no library
/// has a version of.
/// \param like  results of the benchmark, at least one: their name, size, seed, floor and budgets
/// are the peers'
/// \param on_gpu  those that run on NVIDIA's GPUs, instead of the others
/// \throws usage_error  if there is no python3, or the script fails
std::vector<result> run_peers(const benchmark& of, const settings& asked,
                              std::span<const result> like, int threads, bool on_gpu);

/// The peer that one of our versions is compared with: "duckdb 1/2" of "1/2", "duckdb" of "pappus".
/// Null if it didn't run.
const result* duckdb_beside(std::span<const result> results, const result& ours);

}  // namespace pappus::bench

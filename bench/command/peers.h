// What else a user might take, timed beside a benchmark: Python's libraries (system/peers.py).
#pragma once

#include <vector>

#include "system/suite.h"

namespace pappus::bench {

/// Runs the libraries' versions of a benchmark one after another, where python3 has them; a version
/// that it lacks is skipped with the reason. Empty for benchmarks that no library has a version of.
/// \param like  a result of the benchmark: its name, size, seed and floor are the peers'
/// \throws usage_error  if there is no python3, or the script fails
std::vector<result> run_peers(const benchmark& of, const settings& asked, const result& like,
                              int threads);

}  // namespace pappus::bench

// What the demo's example programs have in common: arguments, session, index, errors.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "demo/support/package_index.h"
#include "pappus/session.h"

namespace demo {

using example = std::function<void(pappus::session&, const package_index&,
                                   const std::vector<std::string>& arguments)>;

/// Runs an example on the machine's own package index, or on the files that `--index FILE` options
/// name, with the other arguments. `usage` describes those in one line.
/// Returns the exit status: 0 done, 1 failed, 2 wrong arguments; prints errors to stderr.
int run_program(int argc, char** argv, const char* usage, const example& run);

}  // namespace demo

// The subcommands of `pappus`. Each adds itself to the application and returns its exit code when
// it was chosen.
#pragma once

#include <functional>
#include <string>

#include <CLI/CLI.hpp>

namespace pappus::cli {

/// Exit codes: 0 done, 1 the work failed, 2 wrong arguments, 130 interrupted.
enum exit_code : int { done = 0, failed = 1, misused = 2, interrupted = 130 };

/// What a subcommand does once its arguments are parsed.
using action = std::function<int()>;

void add_devices(CLI::App& app, action& chosen);
void add_demo(CLI::App& app, action& chosen);
void add_explain(CLI::App& app, action& chosen);
void add_bench(CLI::App& app, action& chosen);

}  // namespace pappus::cli

// The subcommands of `pappus`, and run_command(), which pappus-bench uses, too.
#pragma once

#include <functional>
#include <string>

#include <CLI/CLI.hpp>

namespace pappus::cli {

/// Exit codes: 0 done, 1 the work failed, 2 wrong arguments, 130 interrupted.
enum exit_code : int { done = 0, failed = 1, misused = 2, interrupted = 130 };

/// What a subcommand does once its arguments are parsed; returns the exit code. Each add_ function
/// adds a subcommand to the application, which sets `chosen` if the user gave that one.
using action = std::function<int()>;

void add_devices(CLI::App& app, action& chosen);
void add_demo(CLI::App& app, action& chosen);
void add_explain(CLI::App& app, action& chosen);
void add_schema(CLI::App& app, action& chosen);
void add_show(CLI::App& app, action& chosen);
void add_bench(CLI::App& app, action& chosen);

/// Parses the arguments, calls `chosen` and returns the exit code. An exception becomes a line on
/// stderr and an exit code.
int run_command(CLI::App& app, int argc, char** argv, const action& chosen);

}  // namespace pappus::cli

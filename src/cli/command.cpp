#include "cli/command.h"

#include <exception>
#include <iostream>

#include "pappus/error.h"

namespace pappus::cli {

int run_command(CLI::App& app, int argc, char** argv, const action& chosen) {
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& problem) {
    return app.exit(problem) == 0 ? done : misused;
  }
  try {
    return chosen();
  } catch (const cancelled&) {
    std::cerr << "pappus: interrupted\n";
    return interrupted;
  } catch (const usage_error& problem) {
    std::cerr << "pappus: " << problem.what() << "\n";
    return misused;
  } catch (const std::exception& problem) {
    std::cerr << "pappus: " << problem.what() << "\n";
    return failed;
  }
}

}  // namespace pappus::cli

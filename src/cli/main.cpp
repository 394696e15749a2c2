#include <exception>
#include <iostream>

#include "cli/command.h"
#include "pappus/error.h"

int main(int argc, char** argv) {
  using namespace pappus::cli;
  CLI::App app("Pappus: data-parallel programs in ordinary C++", "pappus");
  app.require_subcommand(1);
  app.set_version_flag("--version", "pappus " PAPPUS_VERSION);
  action chosen;
  add_devices(app, chosen);
  add_demo(app, chosen);
  add_explain(app, chosen);
  add_bench(app, chosen);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& problem) {
    return app.exit(problem) == 0 ? done : misused;
  }
  try {
    return chosen();
  } catch (const pappus::cancelled&) {
    std::cerr << "pappus: interrupted\n";
    return interrupted;
  } catch (const pappus::usage_error& problem) {
    std::cerr << "pappus: " << problem.what() << "\n";
    return misused;
  } catch (const std::exception& problem) {
    std::cerr << "pappus: " << problem.what() << "\n";
    return failed;
  }
}

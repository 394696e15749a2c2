#include "base/environment.h"
#include "cli/command.h"

int main(int argc, char** argv) {
  using namespace pappus::cli;
  CLI::App app("Pappus: data-parallel programs in ordinary C++", "pappus");
  app.require_subcommand(1);
  app.set_version_flag("--version", "pappus " PAPPUS_VERSION);
  app.footer(pappus::base::environment_help());
  action chosen;
  add_devices(app, chosen);
  add_demo(app, chosen);
  add_explain(app, chosen);
  add_schema(app, chosen);
  add_show(app, chosen);
  add_bench(app, chosen);
  return run_command(app, argc, argv, [&] { return chosen(); });
}

// pappus demo: three queries over the machine's own Debian package index.
#include <filesystem>
#include <iostream>
#include <memory>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/command.h"
#include "cli/interrupt.h"
#include "demo/queries/kmeans.h"
#include "demo/queries/pagerank.h"
#include "demo/queries/search.h"
#include "demo/support/package_index.h"
#include "pappus/error.h"
#include "pappus/session.h"

namespace pappus::cli {
namespace {

struct choices {
  std::vector<std::string> words;
  std::vector<std::string> index;
  std::string out = ".";
};

int run(const choices& c) {
  const std::filesystem::path folder = c.out;
  std::error_code problem;
  std::filesystem::create_directories(folder, problem);
  if (problem)
    throw usage_error(
        fmt::format("demo: the folder {} can't be made: {}", c.out, problem.message()));
  options settings;
  settings.trace = (folder / "demo-trace.json").string();
  const auto chart = (folder / "demo-packages.svg").string();
  {
    session s(settings);
    const interruptible guard(s);
    const auto index =
        demo::read_package_index(c.index.empty() ? demo::find_index_files() : c.index);
    std::cout << fmt::format("{} packages and {} dependencies from {}\n\n", index.packages.size(),
                             index.dependencies.size(), fmt::join(index.files, ", "));
    demo::run_pagerank(s, index, std::cout);
    std::cout << "\n";
    guard.check();
    demo::run_search(s, index, c.words, std::cout);
    std::cout << "\n";
    guard.check();
    demo::run_kmeans(s, index, chart, std::cout);
  }
  std::cout << fmt::format("\nwrote {} (open it at https://ui.perfetto.dev) and {}\n",
                           settings.trace, chart);
  return done;
}

}  // namespace

void add_demo(CLI::App& app, action& chosen) {
  auto* command = app.add_subcommand(
      "demo", "PageRank, search and k-means over this machine's Debian package index");
  auto c = std::make_shared<choices>();
  command->add_option("words", c->words, "What to search for; default: parallel sort");
  command
      ->add_option("--index", c->index,
                   "Index files (Packages, plain, .lz4 or .xz, or dpkg's status); default: apt's")
      ->expected(1);
  command->add_option("--out", c->out, "Folder for demo-trace.json and demo-packages.svg")
      ->capture_default_str();
  command->callback([=, &chosen] { chosen = [c] { return run(*c); }; });
}

}  // namespace pappus::cli

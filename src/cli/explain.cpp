// pappus explain PROGRAM ARGS...: runs the program until it asks for its first result, or the one
// that --query chooses, and prints or draws how that would be computed.
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "cli/command.h"
#include "pappus/error.h"

namespace pappus::cli {
namespace {

int explain(std::vector<std::string>& words, const std::string& format) {
  ::setenv("PAPPUS_EXPLAIN", format.c_str(), 1);
  std::vector<char*> arguments;
  for (auto& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  ::execvp(arguments[0], arguments.data());
  throw error(fmt::format("explain: {} can't be run: {}; give the program's path, such as ./kmeans",
                          words[0], std::strerror(errno)));
}

}  // namespace

void add_explain(CLI::App& app, action& chosen) {
  auto* command = app.add_subcommand(
      "explain", "Shows how a program's first query would run: graph, plan, tasks. Runs no query");
  auto query = std::make_shared<int>(1);
  command->add_option("--query", *query, "The program's N-th query instead; those before it run")
      ->check(CLI::Range(1, 1'000'000'000));
  auto words = std::make_shared<std::vector<std::string>>();
  auto dot = std::make_shared<bool>(false), passes = std::make_shared<bool>(false);
  auto* draws = command->add_flag("--dot", *dot, "Print the graph for Graphviz instead");
  auto* tells =
      command->add_flag("--passes", *passes, "Print the plan after each pass of the planner");
  auto svg = std::make_shared<std::string>();
  command
      ->add_option("--svg", *svg,
                   "Draw the first launches that wait to this file; --query counts them")
      ->excludes(draws)
      ->excludes(tells);
  draws->excludes(tells);
  command->add_option("program", *words, "A program that uses Pappus, and its arguments")
      ->required();
  command->prefix_command();
  command->positionals_at_end();
  command->callback([=, &chosen] {
    auto all = *words;
    for (const auto& rest : command->remaining()) all.push_back(rest);
    chosen = [all, dot, passes, svg, query]() mutable {
      const char* format = !svg->empty() ? "svg" : *dot ? "dot" : *passes ? "passes" : "text";
      return explain(all, fmt::format("{}:{}{}{}", format, *query, svg->empty() ? "" : ":", *svg));
    };
  });
}

}  // namespace pappus::cli

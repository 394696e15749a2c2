// pappus explain PROGRAM ARGS...: runs the program until it asks for its first result, or the one
// that --query chooses, and prints how that would be computed.
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

int explain(std::vector<std::string>& words, std::string_view format, int query) {
  ::setenv("PAPPUS_EXPLAIN", fmt::format("{}:{}", format, query).c_str(), 1);
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
  command->add_flag("--passes", *passes, "Print the plan after each pass of the planner")
      ->excludes(draws);
  command->add_option("program", *words, "A program that uses Pappus, and its arguments")
      ->required();
  command->prefix_command();
  command->positionals_at_end();
  command->callback([=, &chosen] {
    auto all = *words;
    for (const auto& rest : command->remaining()) all.push_back(rest);
    chosen = [all, dot, passes, query]() mutable {
      return explain(all, *dot ? "dot" : *passes ? "passes" : "text", *query);
    };
  });
}

}  // namespace pappus::cli

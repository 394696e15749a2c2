// pappus bench ARGS...: becomes pappus-bench, the program of the benchmarks beside this one. They
// take longer to build than the rest of the command, and few who run it want them.
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include <fmt/format.h>

#include "cli/command.h"
#include "pappus/error.h"

namespace pappus::cli {
namespace {

int start(std::vector<std::string>& words) {
  const auto program = std::filesystem::read_symlink("/proc/self/exe").parent_path() / words[0];
  std::vector<char*> arguments;
  for (auto& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  ::execv(program.c_str(), arguments.data());
  throw error(fmt::format(
      "bench: {} can't be run: {}; build the benchmarks in the checkout of Pappus: cmake --preset "
      "release && cmake --build build/release --target pappus_bench_command, then run "
      "build/release/bin/pappus bench",
      program.string(), std::strerror(errno)));
}

}  // namespace

void add_bench(CLI::App& app, action& chosen) {
  auto* command = app.add_subcommand(
      "bench", "Times a workload: sequential loop, best hand-written parallel code, Pappus");
  command->prefix_command();
  command->set_help_flag();  // pappus-bench has its own
  command->callback([=, &chosen] {
    std::vector<std::string> words{"pappus-bench"};
    for (const auto& rest : command->remaining()) words.push_back(rest);
    chosen = [words]() mutable { return start(words); };
  });
}

}  // namespace pappus::cli

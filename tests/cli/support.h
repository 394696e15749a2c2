// What tests of the command share: running it, and a folder for its files.
#pragma once

#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <string>

namespace command_tests {

struct outcome {
  int code;
  std::string text;
};

/// Runs a line of the shell, with what it prints in `text`.
inline outcome run(const std::string& line) {
  FILE* pipe = ::popen(line.c_str(), "r");
  std::string text;
  std::array<char, 4096> buffer;
  while (const auto n = std::fread(buffer.data(), 1, buffer.size(), pipe))
    text.append(buffer.data(), n);
  const int status = ::pclose(pipe);
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, text};
}

/// Runs the command with both of its outputs in `text`, or one of them dropped by the redirection.
inline outcome pappus(const std::string& arguments, const std::string& redirection = "2>&1") {
  return run(std::string(PAPPUS_COMMAND) + " " + arguments + " " + redirection);
}

/// A folder of this process, removed when it ends.
inline std::filesystem::path scratch() {
  struct owned {
    std::filesystem::path path =
        std::filesystem::temp_directory_path() / ("pappus-cli-" + std::to_string(::getpid()));
    owned() { std::filesystem::create_directories(path); }
    ~owned() { std::filesystem::remove_all(path); }
  };
  static const owned folder;
  return folder.path;
}

}  // namespace command_tests

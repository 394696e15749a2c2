// A trace's file, to be read back.
#pragma once

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include <nlohmann/json.hpp>

namespace pappus::testing {

/// Of this process.
inline std::string trace_file() {
  return (std::filesystem::temp_directory_path() /
          ("pappus-trace-" + std::to_string(::getpid()) + ".json"))
      .string();
}

inline nlohmann::json events_of(const std::string& path) {
  std::ifstream in(path);
  return nlohmann::json::parse(in).at("traceEvents");
}

}  // namespace pappus::testing

// Files that a libFuzzer target begins with.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <cstdlib>
#include <string>
#include <vector>

namespace pappus::testing {

/// For LLVMFuzzerInitialize: these files are the first inputs, beside those of a corpus folder.
/// They are in memory until the process ends.
inline void begin_with(const std::vector<std::string>& seeds, int* count, char*** arguments) {
  static std::string option;
  for (const std::string& seed : seeds) {
    const int file = ::memfd_create("seed", 0);
    if (file < 0 || ::write(file, seed.data(), seed.size()) < 0) std::abort();
    option += (option.empty() ? "-seed_inputs=" : ",") + ("/proc/self/fd/" + std::to_string(file));
  }
  static std::vector<char*> all;
  all.assign(*arguments, *arguments + *count);
  all.push_back(option.data());
  *count = static_cast<int>(all.size());
  all.push_back(nullptr);
  *arguments = all.data();
}

}  // namespace pappus::testing

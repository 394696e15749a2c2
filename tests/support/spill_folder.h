// A folder for a test's spill files, on the disk where the tests run, and files beside it whose
// names begin as its own does. All of them go with it, also where a test fails.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <system_error>
#include <vector>

namespace pappus::testing {

class spill_folder {
 public:
  spill_folder() {
    std::string name = "spill-XXXXXX";
    if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("no folder can be made here");
    path_ = std::filesystem::absolute(name);
  }
  ~spill_folder() {
    std::error_code ignored;
    const auto name = path_.filename().string();
    std::vector<std::filesystem::path> own;
    for (const auto& one : std::filesystem::directory_iterator(path_.parent_path(), ignored))
      if (one.path().filename().string().starts_with(name)) own.push_back(one.path());
    for (const auto& one : own) std::filesystem::remove_all(one, ignored);
  }
  spill_folder(const spill_folder&) = delete;
  spill_folder& operator=(const spill_folder&) = delete;

  std::string path() const { return path_.string(); }
  bool empty() const { return std::filesystem::is_empty(path_); }

 private:
  std::filesystem::path path_;
};

}  // namespace pappus::testing

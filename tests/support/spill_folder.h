// A folder for a test's spill files, on the disk where the tests run.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <string>

namespace pappus::testing {

class spill_folder {
 public:
  spill_folder() {
    std::string name = "spill-XXXXXX";
    if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("no folder can be made here");
    path_ = std::filesystem::absolute(name);
  }
  ~spill_folder() { std::filesystem::remove_all(path_); }
  spill_folder(const spill_folder&) = delete;
  spill_folder& operator=(const spill_folder&) = delete;

  std::string path() const { return path_.string(); }
  bool empty() const { return std::filesystem::is_empty(path_); }

 private:
  std::filesystem::path path_;
};

}  // namespace pappus::testing

// The name of an array's file, and a name within it: "store.zarr:/level0".
#pragma once

#include <string>

namespace pappus::formats {

struct array_path {
  std::string file, inner;  ///< inner is empty where only a file is named

  explicit array_path(const std::string& path) : file(path) {
    const auto at = path.find(":/");
    if (at == std::string::npos) return;
    file = path.substr(0, at);
    inner = path.substr(at + 2);
  }

  std::string text() const { return inner.empty() ? file : file + ":/" + inner; }
};

}  // namespace pappus::formats

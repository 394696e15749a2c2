// The device code of the benchmarks, and peers.py: files below bench/system/, carried by the
// program.
#pragma once

#include <span>
#include <string_view>

namespace pappus::bench {

struct device_text_file {
  std::string_view path;  ///< below bench/system/: "device/kmeans.cl"
  std::string_view text;
};

// Made by bench/CMakeLists.txt.
extern const std::span<const device_text_file> device_texts;

/// The text of a file. Throws std::logic_error naming one that isn't there.
std::string_view text_file(std::string_view path);

}  // namespace pappus::bench

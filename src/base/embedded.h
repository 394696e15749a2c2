// Text files of the source tree that are compiled into the library: preludes and kernels of
// devices.
#pragma once

#include <cstddef>
#include <string_view>

namespace pappus::base {

struct embedded_text {
  std::string_view path;  ///< below src/, "device_ops/text/map.cl"
  std::string_view text;
};

// Made by cmake/EmbedText.cmake.
extern const embedded_text embedded_texts[];
extern const std::size_t embedded_texts_size;

/// The text of a file. Throws std::logic_error naming one that isn't there.
std::string_view embedded(std::string_view path);

}  // namespace pappus::base

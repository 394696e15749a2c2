#include "system/device_texts.h"

#include <stdexcept>
#include <string>

namespace pappus::bench {

std::string_view text_file(std::string_view path) {
  for (const auto& file : device_texts)
    if (file.path == path) return file.text;
  throw std::logic_error("bench: no device text " + std::string(path));
}

}  // namespace pappus::bench

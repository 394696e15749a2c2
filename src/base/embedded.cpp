#include "base/embedded.h"

#include <stdexcept>
#include <string>

namespace pappus::base {

std::string_view embedded(std::string_view path) {
  for (std::size_t i = 0; i < embedded_texts_size; ++i)
    if (embedded_texts[i].path == path) return embedded_texts[i].text;
  throw std::logic_error("no text " + std::string(path) + " was embedded");
}

}  // namespace pappus::base

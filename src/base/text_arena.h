// Copies of texts, side by side in buffers that grow.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <string_view>
#include <utility>
#include <vector>

#include "pappus/detail/base/memory.h"

namespace pappus::base {

/// Copies live as long as this, or the buffers taken out of it. Not thread-safe.
class text_arena {
 public:
  /// \param first, most  bytes of the first buffer; of the largest, but for a longer text
  text_arena(std::size_t first, std::size_t most) : next_(first), most_(most) {}

  /// Throws memory_error, which names `owner`.
  std::string_view copy(std::string_view text, detail::memory_source& memory,
                        std::string_view owner) {
    if (text.empty()) return {};
    if (buffers_.empty() || buffers_.back().size() - used_ < text.size()) {
      buffers_.emplace_back(memory, std::max(next_, text.size()), owner);
      bytes_ += buffers_.back().size();
      next_ = std::min(2 * next_, most_);
      used_ = 0;
    }
    char* const at = buffers_.back().as<char>() + used_;
    std::memcpy(at, text.data(), text.size());
    used_ += text.size();
    return {at, text.size()};
  }

  /// Of memory.
  std::size_t bytes() const noexcept { return bytes_; }
  /// No more is to be copied afterwards.
  std::vector<detail::buffer> take() { return std::exchange(buffers_, {}); }

 private:
  std::size_t next_, most_;
  std::vector<detail::buffer> buffers_;
  std::size_t used_ = 0, bytes_ = 0;  // of the last one; of all
};

}  // namespace pappus::base

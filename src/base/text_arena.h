// Copies of texts, side by side in buffers that grow: little of what they take stays empty.
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
  text_arena(std::size_t first, std::size_t most) : first_(first), most_(most) {}

  /// Throws memory_error, which names `owner`.
  std::string_view copy(std::string_view text, detail::memory_source& memory,
                        std::string_view owner) {
    if (text.empty()) return {};
    if (buffers_.empty() || buffers_.back().size() - used_ < text.size()) {
      const auto next = std::clamp(bytes_ / 4, first_, most_);
      buffers_.emplace_back(memory, std::max(next, text.size()), owner);
      bytes_ += buffers_.back().size();
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
  std::size_t first_, most_;
  std::vector<detail::buffer> buffers_;
  std::size_t used_ = 0, bytes_ = 0;  // of the last one; of all
};

}  // namespace pappus::base

// The categories of a column that is written, numbered as they come: a dictionary of its own, with
// no more texts than it needs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "formats/arrow/arrow_library.h"
#include "pappus/detail/base/memory.h"

namespace pappus::formats {

class category_numbers {
 public:
  /// The number of a category's text, by its code in the process's dictionary.
  std::int32_t number_of(std::uint32_t code) {
    if (code >= numbers_.size()) numbers_.resize(std::size_t{code} + 1, 0);
    auto& number = numbers_[code];
    if (number == 0) {
      codes_.push_back(code);
      number = static_cast<std::int32_t>(codes_.size());
    }
    return number - 1;
  }

  /// Their texts, in `places` and `text`, which it makes. Throws format_error, beginning with
  /// `where`, for what isn't UTF-8, or too much.
  arrow_piece texts(const std::string& where, detail::memory_source& memory, detail::buffer& places,
                    detail::buffer& text) const;

 private:
  std::vector<std::int32_t> numbers_;  // of each code, from 1 on; 0: it has none
  std::vector<std::uint32_t> codes_;
};

}  // namespace pappus::formats

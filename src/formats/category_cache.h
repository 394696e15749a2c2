// Codes of the texts that a worker met last in a column, in front of the dictionary that all share.
//
// A text has one place, which it takes from whatever was there: so that no number of different
// texts makes it grow, and a look-up is one comparison. Texts of up to eight bytes, which most that
// repeat have, are told apart by these bytes, others by their hash and then by the text itself.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "pappus/category.h"
#include "pappus/detail/base/memory.h"

namespace pappus::formats {

class category_cache {
 public:
  category_cache(detail::memory_source& memory, std::string_view owner)
      : slots_(memory, slots * sizeof(slot), owner) {
    std::fill_n(slots_.as<slot>(), slots, slot{});
  }

  /// The code of a text, not empty. Throws memory_error where the dictionary is full.
  /// \param word  of a text of up to eight bytes these, zeros behind them; else any hash
  std::uint32_t code_of(std::string_view text, std::uint64_t word) {
    slot& own = slots_.as<slot>()[(word ^ text.size()) * odd >> (64 - slot_bits)];
    const auto size = static_cast<std::uint32_t>(std::min<std::size_t>(text.size(), 9));
    if (own.word == word && own.size == size &&
        (size <= 8 || detail::is_text_of_code(own.code, text)))
      return own.code;
    own = {word, size, detail::code_of_text(text)};
    return own.code;
  }

 private:
  static constexpr unsigned slot_bits = 11;
  static constexpr std::size_t slots = std::size_t{1} << slot_bits;
  static constexpr std::uint64_t odd = 0x9E37'79B9'7F4A'7C15;
  struct slot {
    std::uint64_t word = 0;
    std::uint32_t size = 0;  // 0: free; 9: more than eight
    std::uint32_t code = 0;
  };

  detail::buffer slots_;
};

}  // namespace pappus::formats

// Groups of texts, found by where these lie.
//
// Texts that repeat mostly share their bytes: readers of files see to that, and dictionaries of
// columns have each text once. So a text that a block's rows have met before is told by its address
// and its length, which takes a third of what its code, a hash of it and a look-up take. Only for
// texts that lie still while a block's rows are added. Blocks whose texts lie apart soon do without
// it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "pappus/detail/base/hash.h"
#include "pappus/detail/base/text_code.h"

namespace pappus::detail {

/// Of one block.
template <typename R>
class met_texts {
 public:
  met_texts(group_slots& table, text_coder& texts) : state_of_(table), texts_(texts) {}

  /// The state of a text's group, which is inserted if it is new.
  [[gnu::always_inline]] R& operator()(std::string_view text) {
    const auto at = reinterpret_cast<std::uintptr_t>(text.data());
    entry& met = entries_[(at ^ at / count) % count];
    if (met.text == text.data() && met.bytes == text.size()) [[likely]]
      return *met.state;
    return look_up(text, met);
  }

  /// So many texts of the block hadn't been met.
  std::int64_t missed() const noexcept { return missed_; }

 private:
  static constexpr std::size_t count = 128;
  struct entry {
    const char* text = nullptr;
    std::size_t bytes = SIZE_MAX;  // no text has so many
    R* state = nullptr;
  };

  R& look_up(std::string_view text, entry& met) {
    ++missed_;
    const auto changes = state_of_.changes();
    R& state = state_of_(texts_.code(text));
    if (state_of_.changes() != changes) entries_ = {};  // states may lie elsewhere
    met = {text.data(), text.size(), &state};
    return state;
  }

  group_finder<R, bits128> state_of_;
  text_coder& texts_;
  std::int64_t missed_ = 0;
  std::array<entry, count> entries_{};
};

}  // namespace pappus::detail

// What was found out of texts a moment ago, by where their bytes lie: readers of files keep one
// copy of text that repeats, mostly. It may forget some.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace pappus::base {

template <typename Value, unsigned SlotsLog>
class recent_views {
 public:
  /// Of a text at the same place, while the bytes there are the same; null: nothing is known.
  const Value* find(std::string_view text) const noexcept {
    const entry& at = entries_[slot_of(text)];
    return at.data == text.data() && at.size == text.size() ? &at.value : nullptr;
  }
  /// \param text  not empty, as those that it asks for
  void remember(std::string_view text, const Value& value) noexcept {
    entries_[slot_of(text)] = {text.data(), text.size(), value};
  }
  void forget() noexcept { entries_.fill({}); }

 private:
  struct entry {
    const char* data = nullptr;
    std::size_t size = 0;
    Value value{};
  };
  static std::size_t slot_of(std::string_view text) noexcept {
    const auto address = reinterpret_cast<std::uintptr_t>(text.data());
    return static_cast<std::size_t>(address * 0x9E37'79B9'7F4A'7C15u >> (64 - SlotsLog));
  }
  std::array<entry, std::size_t{1} << SlotsLog> entries_{};
};

}  // namespace pappus::base

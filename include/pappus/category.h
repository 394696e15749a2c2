// Text that repeats: four bytes a value, the text itself once a process.
//
//     struct flight { pappus::category carrier; double delay; };
//
//     flights.filter([](const flight& f) { return f.carrier == "AA"; })
//     flights.group_by(&flight::carrier).mean(&flight::delay)
//
// A dictionary that the whole process shares has each different text once, and its code: the first
// has 1, the next 2, ...; text without characters has 0. So categories of any files and columns
// can be compared, joined and concatenated: equal texts have equal codes. Which text gets which
// code depends on who comes first, perhaps on threads: no result shows codes, and order is that of
// texts. Dictionaries of columns of their own, as Arrow and pandas have them, would need a byte or
// two a value where they are small, and a mapping wherever two of them meet.
//
// Texts never go: the dictionary isn't part of a session's memory, and has a limit of its own,
// PAPPUS_CATEGORY_MEMORY.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string_view>

namespace pappus {

class category;

namespace detail {

/// The code of a text, which gets one if it has none. Thread-safe. Throws memory_error where the
/// dictionary is full.
std::uint32_t code_of_text(std::string_view text);
/// The text of a code; of a number that is none, text without characters. Thread-safe.
std::string_view text_of_code(std::uint32_t code) noexcept;
bool is_text_of_code(std::uint32_t code, std::string_view text) noexcept;

template <typename T>
inline constexpr bool is_category = false;
template <>
inline constexpr bool is_category<category> = true;

}  // namespace detail

/// A text of the process's dictionary. Copies and comparisons of two for equality cost as much as
/// those of a std::uint32_t, also on devices; all else looks at the text, on the CPU.
class category {
 public:
  /// The text without characters.
  constexpr category() noexcept = default;
  /// Puts a text into the dictionary that isn't there: some 20 ns where it is. Throws memory_error
  /// where the dictionary is full.
  category(std::string_view text) : code_(detail::code_of_text(text)) {}  // NOLINT: implicit
  category(const char* text) : category(std::string_view(text)) {}        // NOLINT: implicit

  /// Lasts until the process ends.
  std::string_view text() const noexcept { return detail::text_of_code(code_); }
  /// Means something in this process alone.
  constexpr std::uint32_t code() const noexcept { return code_; }
  /// The category with a code that code() gave in this process.
  static constexpr category of_code(std::uint32_t code) noexcept {
    category made;
    made.code_ = code;
    return made;
  }

  /// Different texts that the dictionary has, and about how many bytes of memory it takes.
  static std::int64_t dictionary_size();
  static std::int64_t dictionary_bytes();

  friend constexpr bool operator==(category a, category b) noexcept { return a.code_ == b.code_; }
  friend bool operator==(category a, std::string_view b) noexcept {
    return detail::is_text_of_code(a.code_, b);
  }
  friend bool operator==(category a, const char* b) noexcept { return a == std::string_view(b); }
  /// Order is that of texts, byte by byte.
  friend std::strong_ordering operator<=>(category a, category b) noexcept {
    return a == b ? std::strong_ordering::equal : a.text() <=> b.text();
  }
  friend std::strong_ordering operator<=>(category a, std::string_view b) noexcept {
    return a.text() <=> b;
  }
  friend std::strong_ordering operator<=>(category a, const char* b) noexcept {
    return a.text() <=> std::string_view(b);
  }

 private:
  std::uint32_t code_ = 0;
};

}  // namespace pappus

template <>
struct std::hash<pappus::category> {
  std::size_t operator()(pappus::category of) const noexcept {
    return std::hash<std::uint32_t>()(of.code());
  }
};

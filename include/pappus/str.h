// Functions of text for lambdas: what they yield are parts of the text that they are given.
//
//     lines.map([](std::string_view line) {
//       return hit{str::piece(line, ' ', 0), str::parse<int>(str::piece(line, ' ', 8))};
//     })
//     lines.flat_map([](std::string_view line) { return str::words(line); })
//
// Text is bytes; case and spaces are those of ASCII.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <chrono>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <optional>
#include <ranges>
#include <stdexcept>
#include <string_view>
#include <system_error>
#include <type_traits>

#include "pappus/dates.h"
#include "pappus/detail/base/char_class.h"
#include "pappus/detail/base/nth_char.h"

namespace pappus::str {

/// bool is_letter(char), and so on.
inline constexpr detail::spaces is_space;
inline constexpr detail::letters is_letter;
inline constexpr detail::digits is_digit;
constexpr char lower(char c) noexcept {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

/// Without the spaces, tabs and newlines around it.
constexpr std::string_view trim(std::string_view text) noexcept {
  while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
  return text;
}

constexpr bool contains(std::string_view text, std::string_view wanted) noexcept {
  return text.find(wanted) != text.npos;
}
constexpr bool contains(std::string_view text, char wanted) noexcept {
  return text.find(wanted) != text.npos;
}

constexpr bool equals_ignoring_case(std::string_view a, std::string_view b) noexcept {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i)
    if (lower(a[i]) != lower(b[i])) return false;
  return true;
}

/// Text of at most Size characters, zeros behind it: a key that needs no memory elsewhere, and text
/// that devices can read. Throws std::length_error where the text is longer.
template <std::size_t Size>
constexpr std::array<char, Size> chars(std::string_view text) {
  if (text.size() > Size) throw std::length_error("str::chars: the text has more characters");
  std::array<char, Size> result{};
  std::copy(text.begin(), text.end(), result.begin());
  return result;
}
/// What chars() was made of: all before the first zero.
template <std::size_t Size>
constexpr std::string_view text(const std::array<char, Size>& chars) noexcept {
  const auto end = std::find(chars.begin(), chars.end(), '\0');
  return {chars.data(), static_cast<std::size_t>(end - chars.begin())};
}
template <std::size_t Size>
std::string_view text(const std::array<char, Size>&&) = delete;  // its characters are gone

/// chars() in lower case.
template <std::size_t Size>
constexpr std::array<char, Size> lower(std::string_view text) {
  if (text.size() > Size) throw std::length_error("str::lower: the text has more characters");
  std::array<char, Size> result{};
  std::size_t at = 0;
  if (!std::is_constant_evaluated() && Size % 8 == 0) {
    const auto put = [&](std::uint64_t eight) {
      eight += detail::bytes_between(eight, 'A', 'Z') >> 2;
      std::memcpy(result.data() + at, &eight, sizeof eight);
      at += 8;
    };
    for (std::uint64_t eight; at + 8 <= text.size();) {
      std::memcpy(&eight, text.data() + at, sizeof eight);
      put(eight);
    }
    if (at < text.size()) put(detail::last_bytes(text));
  }
  for (; at < text.size(); ++at) result[at] = lower(text[at]);
  return result;
}

/// Parts of a text, in turn. \tparam Cut  bool operator()(left, part): takes the next part from the
/// front of what is left of the text; false: there is none.
template <typename Cut>
class parts_view : public std::ranges::view_interface<parts_view<Cut>> {
 public:
  class iterator {
   public:
    using value_type = std::string_view;
    using difference_type = std::ptrdiff_t;
    using iterator_concept = std::forward_iterator_tag;

    constexpr iterator() = default;
    constexpr std::string_view operator*() const noexcept { return part_; }
    constexpr iterator& operator++() noexcept {
      there_ = cut_(left_, part_);
      return *this;
    }
    constexpr iterator operator++(int) noexcept {
      auto before = *this;
      ++*this;
      return before;
    }
    friend constexpr bool operator==(const iterator& a, const iterator& b) noexcept {
      return a.there_ == b.there_ && (!a.there_ || a.part_.data() == b.part_.data());
    }
    friend constexpr bool operator==(const iterator& a, std::default_sentinel_t) noexcept {
      return !a.there_;
    }

   private:
    friend parts_view;
    constexpr iterator(std::string_view text, Cut cut) noexcept : left_(text), cut_(cut) {
      ++*this;
    }

    std::string_view left_, part_;
    Cut cut_{};
    bool there_ = false;
  };

  constexpr parts_view() = default;
  constexpr parts_view(std::string_view text, Cut cut) noexcept : text_(text), cut_(cut) {}
  constexpr iterator begin() const noexcept { return {text_, cut_}; }
  constexpr std::default_sentinel_t end() const noexcept { return {}; }

 private:
  std::string_view text_;
  Cut cut_{};
};

struct cut_at_delimiter {
  char delimiter = ',';
  bool ended = false;
  constexpr bool operator()(std::string_view& left, std::string_view& part) noexcept {
    if (ended) return false;
    const auto end = left.find(delimiter);
    ended = end == left.npos;
    part = left.substr(0, end);
    left.remove_prefix(ended ? left.size() : end + 1);
    return true;
  }
};
template <typename F>
constexpr bool cut_word(std::string_view& left, std::string_view& part, const F& is_part) {
  std::size_t begin = 0;
  while (begin < left.size() && !is_part(left[begin])) ++begin;
  std::size_t end = begin;
  while (end < left.size() && is_part(left[end])) ++end;
  part = left.substr(begin, end - begin);
  left.remove_prefix(end);
  return end > begin;
}
template <typename F>
struct cut_words {
  F is_part{};
  constexpr bool operator()(std::string_view& left, std::string_view& part) const {
    return cut_word(left, part, is_part);
  }
};
/// Asks for 64 characters at once, with which `left` begins, and keeps the bits of those to come.
template <detail::char_class F>
struct cut_words<F> {
  F is_part{};
  std::uint64_t bits = 0;
  bool has_bits = false;

  constexpr bool operator()(std::string_view& left, std::string_view& part) {
    if (std::is_constant_evaluated()) return cut_word(left, part, is_part);
    for (;; left.remove_prefix(64), has_bits = false) {
      if (!has_bits) bits = detail::bits_of(left, is_part), has_bits = true;
      if (bits != 0) break;
      if (left.size() <= 64) return false;
    }
    const auto begin = static_cast<std::size_t>(std::countr_zero(bits));
    const auto end = begin + static_cast<std::size_t>(std::countr_one(bits >> begin));
    if (end == 64) {  // the word may go on
      left.remove_prefix(begin);
      has_bits = false;
      return cut_word(left, part, is_part);
    }
    bits &= bits + (std::uint64_t{1} << begin);  // a carry clears the run of ones
    part = left.substr(begin, end - begin);
    return true;
  }
};

/// The pieces of a text between delimiters, in turn: "a,,b" has "a", "" and "b". Of no text one,
/// which is empty.
class split : public parts_view<cut_at_delimiter> {
 public:
  constexpr split() = default;
  constexpr split(std::string_view text, char delimiter) noexcept
      : parts_view(text, {.delimiter = delimiter}) {}
};
/// The words of a text, which spaces, tabs and newlines stand between; or words(text, is_letter):
/// runs of characters for which bool is_letter(char) holds. Of no text none.
template <typename F = detail::all_but<detail::spaces>>
class words : public parts_view<cut_words<F>> {
 public:
  constexpr words() = default;
  constexpr explicit words(std::string_view text, F is_part = {}) noexcept
      : parts_view<cut_words<F>>(text, {is_part}) {}
};

/// Piece number n, from 0, of what split(text, delimiter) yields; no text where there are fewer.
constexpr std::string_view piece(std::string_view text, char delimiter, std::size_t n) noexcept {
  if (n > 0) {
    const auto before = detail::nth_of(text, delimiter, n - 1);
    if (before == text.npos) return {};
    text.remove_prefix(before + 1);
  }
  return text.substr(0, text.find(delimiter));
}

/// A number, true or false (or 1, 0), or a date as 2024-02-29, that the whole text stands for, but
/// for spaces around it, and a '+'; else none, also where it is out of range.
template <typename T>
  requires(std::is_arithmetic_v<T> || std::same_as<T, date>)
constexpr std::optional<T> parse(std::string_view text) noexcept {
  text = trim(text);
  if constexpr (std::same_as<T, bool>) {
    if (text == "1" || equals_ignoring_case(text, "true")) return true;
    if (text == "0" || equals_ignoring_case(text, "false")) return false;
    return std::nullopt;
  } else if constexpr (std::same_as<T, date>) {
    if (text.size() != 10 || text[4] != '-' || text[7] != '-') return std::nullopt;
    int parts[3] = {};
    constexpr std::size_t begins[] = {0, 5, 8}, lengths[] = {4, 2, 2};
    for (int part = 0; part < 3; ++part)
      for (std::size_t i = 0; i < lengths[part]; ++i) {
        const char c = text[begins[part] + i];
        if (c < '0' || c > '9') return std::nullopt;
        parts[part] = parts[part] * 10 + (c - '0');
      }
    const std::chrono::year_month_day civil{std::chrono::year{parts[0]},
                                            std::chrono::month{static_cast<unsigned>(parts[1])},
                                            std::chrono::day{static_cast<unsigned>(parts[2])}};
    if (!civil.ok()) return std::nullopt;
    return date{static_cast<std::int32_t>(std::chrono::sys_days{civil}.time_since_epoch().count())};
  } else {
    if (text.size() > 1 && text.front() == '+' && text[1] != '-') text.remove_prefix(1);
    T value{};
    const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (code != std::errc() || end != text.data() + text.size()) return std::nullopt;
    return value;
  }
}

}  // namespace pappus::str

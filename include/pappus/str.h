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
#include <charconv>
#include <concepts>
#include <cstddef>
#include <iterator>
#include <optional>
#include <ranges>
#include <stdexcept>
#include <string_view>
#include <system_error>
#include <type_traits>

#include "pappus/dates.h"

namespace pappus::str {

constexpr bool is_space(char c) noexcept { return c == ' ' || (c >= '\t' && c <= '\r'); }
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

/// Text of at most Size characters in lower case, zeros behind it: a key that needs no memory
/// elsewhere. Throws std::length_error where the text is longer.
template <std::size_t Size>
constexpr std::array<char, Size> lower(std::string_view text) {
  if (text.size() > Size) throw std::length_error("str::lower: the text has more characters");
  std::array<char, Size> result{};
  for (std::size_t i = 0; i < text.size(); ++i) result[i] = lower(text[i]);
  return result;
}

/// The pieces of a text between delimiters, in turn: "a,,b" has "a", "" and "b". Of no text one,
/// which is empty.
class split : public std::ranges::view_interface<split> {
 public:
  class iterator {
   public:
    using value_type = std::string_view;
    using difference_type = std::ptrdiff_t;
    using iterator_concept = std::forward_iterator_tag;

    constexpr iterator() = default;
    constexpr std::string_view operator*() const noexcept { return text_.substr(begin_, length_); }
    constexpr iterator& operator++() noexcept {
      begin_ += length_ + 1;
      if (begin_ > text_.size())
        begin_ = ended;
      else
        find_end();
      return *this;
    }
    constexpr iterator operator++(int) noexcept {
      auto before = *this;
      ++*this;
      return before;
    }
    friend constexpr bool operator==(const iterator& a, const iterator& b) noexcept {
      return a.begin_ == b.begin_;
    }
    friend constexpr bool operator==(const iterator& a, std::default_sentinel_t) noexcept {
      return a.begin_ == ended;
    }

   private:
    friend split;
    static constexpr std::size_t ended = static_cast<std::size_t>(-1);
    constexpr iterator(std::string_view text, char delimiter) noexcept
        : text_(text), delimiter_(delimiter), begin_(0) {
      find_end();
    }
    constexpr void find_end() noexcept {
      const auto end = text_.find(delimiter_, begin_);
      length_ = (end == text_.npos ? text_.size() : end) - begin_;
    }

    std::string_view text_;
    char delimiter_ = 0;
    std::size_t begin_ = ended, length_ = 0;
  };

  constexpr split() = default;
  constexpr split(std::string_view text, char delimiter) noexcept
      : text_(text), delimiter_(delimiter) {}
  constexpr iterator begin() const noexcept { return {text_, delimiter_}; }
  constexpr std::default_sentinel_t end() const noexcept { return {}; }

 private:
  std::string_view text_;
  char delimiter_ = ',';
};

/// The words of a text, which spaces, tabs and newlines stand between. Of no text none.
class words : public std::ranges::view_interface<words> {
 public:
  class iterator {
   public:
    using value_type = std::string_view;
    using difference_type = std::ptrdiff_t;
    using iterator_concept = std::forward_iterator_tag;

    constexpr iterator() = default;
    constexpr std::string_view operator*() const noexcept { return word_; }
    constexpr iterator& operator++() noexcept {
      find();
      return *this;
    }
    constexpr iterator operator++(int) noexcept {
      auto before = *this;
      ++*this;
      return before;
    }
    friend constexpr bool operator==(const iterator& a, const iterator& b) noexcept {
      return a.word_.data() == b.word_.data();
    }
    friend constexpr bool operator==(const iterator& a, std::default_sentinel_t) noexcept {
      return a.word_.data() == nullptr;
    }

   private:
    friend words;
    constexpr explicit iterator(std::string_view text) noexcept : left_(text) { find(); }
    constexpr void find() noexcept {
      std::size_t begin = 0;
      while (begin < left_.size() && is_space(left_[begin])) ++begin;
      std::size_t end = begin;
      while (end < left_.size() && !is_space(left_[end])) ++end;
      word_ = begin == end ? std::string_view() : left_.substr(begin, end - begin);
      left_.remove_prefix(end);
    }

    std::string_view left_, word_;
  };

  constexpr words() = default;
  constexpr explicit words(std::string_view text) noexcept : text_(text) {}
  constexpr iterator begin() const noexcept { return iterator(text_); }
  constexpr std::default_sentinel_t end() const noexcept { return {}; }

 private:
  std::string_view text_;
};

/// Piece number n, from 0, of what split(text, delimiter) yields; no text where there are fewer.
constexpr std::string_view piece(std::string_view text, char delimiter, std::size_t n) noexcept {
  for (; n > 0; --n) {
    const auto end = text.find(delimiter);
    if (end == text.npos) return {};
    text.remove_prefix(end + 1);
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
    const auto month = static_cast<unsigned>(parts[1]), day = static_cast<unsigned>(parts[2]);
    if (month < 1 || month > 12 || day < 1 || day > 31) return std::nullopt;
    const auto found = date::of(parts[0], month, day);
    return found.day() == day ? std::optional(found) : std::nullopt;
  } else {
    if (text.size() > 1 && text.front() == '+' && text[1] != '-') text.remove_prefix(1);
    T value{};
    const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (code != std::errc() || end != text.data() + text.size()) return std::nullopt;
    return value;
  }
}

}  // namespace pappus::str

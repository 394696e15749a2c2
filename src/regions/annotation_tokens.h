// The text of an annotation as names, numbers and signs, and how it is said what is wrong with one.
#pragma once

#include <cstddef>
#include <string_view>

namespace pappus::regions {

/// A part of the text; empty, and after all of it, at the end.
using token = std::string_view;

bool is_name(token t) noexcept;
/// It begins as one: "2w" isn't a name either.
bool is_number(token t) noexcept;

class annotation_tokens {
 public:
  /// \param text  outlives tokens
  explicit annotation_tokens(std::string_view text) : text_(text) { advance(); }

  token next() const noexcept { return next_; }
  token take();
  bool take_if(token wanted);
  /// Takes it, or fails.
  void expect(token wanted);

  // Throw usage_error of three lines: "annotation, line 1: expected .., got ..", the line, a caret.

  /// The next token isn't it.
  [[noreturn]] void fail(std::string_view expected) const { fail(expected, next_); }
  /// \param at  a token that was returned
  [[noreturn]] void fail(std::string_view expected, token at) const;
  [[noreturn]] void fail(std::string_view expected, token at, std::string_view got) const;

 private:
  void advance();

  std::string_view text_;
  std::size_t at_ = 0;  // of next_
  token next_;
};

}  // namespace pappus::regions

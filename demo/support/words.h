// What counts as a word of a text.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace demo {

/// ASCII letters in lower case, everything else as it is.
constexpr char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

/// Calls visit(std::string_view) for every word of `text`, in order: runs of ASCII letters and
/// digits. Bytes beyond ASCII are letters, so that UTF-8 words stay whole.
template <typename Visit>
void each_word(std::string_view text, Visit&& visit) {
  const auto inside = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           static_cast<unsigned char>(c) >= 0x80;
  };
  for (std::size_t begin = 0; begin < text.size();) {
    std::size_t end = begin;
    while (end < text.size() && inside(text[end])) ++end;
    if (end > begin) visit(text.substr(begin, end - begin));
    begin = end + 1;
  }
}

/// Whether `word` is `lower_case` but for the case of ASCII letters.
bool same_word(std::string_view word, std::string_view lower_case);

/// The distinct words of the texts, in lower case, in order of appearance.
std::vector<std::string> distinct_words(const std::vector<std::string>& texts);

}  // namespace demo

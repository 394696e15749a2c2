#include "demo/support/words.h"

#include <algorithm>

namespace demo {

bool same_word(std::string_view word, std::string_view lower_case) {
  return std::ranges::equal(word, lower_case, {}, lower);
}

std::vector<std::string> distinct_words(const std::vector<std::string>& texts) {
  std::vector<std::string> words;
  for (const std::string& text : texts)
    each_word(text, [&](std::string_view word) {
      std::string lowered(word);
      std::ranges::transform(lowered, lowered.begin(), lower);
      if (std::ranges::find(words, lowered) == words.end()) words.push_back(std::move(lowered));
    });
  return words;
}

}  // namespace demo

// Texts that records have, and that conditions look for: what formats of text must quote or escape,
// what stands for something else elsewhere, and what sorts otherwise where bytes don't count.
#pragma once

#include <string>
#include <string_view>

namespace pappus::oracle {

inline constexpr std::string_view words[] = {
    "",           "a",
    "b, c",       "\"quoted\"",
    "two\nlines", "é",
    "日本, 東京", "Zebra",
    "zebra",      " padded\t",
    "NA",         "null",
    "x;y|z",      "-1.5",
    "true",       "it's",
    "#tag",       "back\\slash",
    "\"",         "aa",
    "ÅÄ",         "a text that is longer than others, so that it lies elsewhere"};

/// As a literal of SQL.
inline std::string quoted(std::string_view text) {
  std::string made = "'";
  for (const char c : text) made += c == '\'' ? std::string("''") : std::string(1, c);
  return made + "'";
}

}  // namespace pappus::oracle

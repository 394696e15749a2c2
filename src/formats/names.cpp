#include "formats/names.h"

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <numeric>
#include <vector>

#include "pappus/error.h"

namespace pappus::formats {
namespace {

char lower(char c) { return static_cast<char>(std::tolower(static_cast<unsigned char>(c))); }

// Levenshtein's distance, blind to case.
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i + 1;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t changed = diagonal + (lower(a[i]) == lower(b[j]) ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({changed, row[j] + 1, row[j + 1] + 1});
    }
  }
  return row.back();
}

}  // namespace

std::string listed(std::span<const std::string> names) {
  constexpr std::size_t most = 20;
  std::string result;
  for (std::size_t i = 0; i < std::min(names.size(), most); ++i) {
    if (i > 0) result += ", ";
    result += '"' + names[i] + '"';
  }
  if (names.size() > most) result += " and " + std::to_string(names.size() - most) + " more";
  return result;
}

std::string suggestion(std::string_view wanted, std::span<const std::string> names) {
  constexpr std::size_t longest = 64;
  std::size_t best = (wanted.size() + 1) / 3 + 1;
  const std::string* nearest = nullptr;
  if (wanted.size() > longest) return "";
  for (const std::string& name : names) {
    if (name.size() > longest) continue;
    const std::size_t steps = distance(wanted, name);
    if (steps < best) {
      best = steps;
      nearest = &name;
    }
  }
  return nearest == nullptr ? "" : "; did you mean \"" + *nearest + "\"?";
}

}  // namespace pappus::formats

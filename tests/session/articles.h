// Rows that have lists.
#pragma once

#include <compare>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "pappus/pappus.h"

namespace pappus::testing::articles {

struct article {
  std::int64_t id;
  list<std::string_view> tags;
  std::optional<list<std::int32_t>> scores;
};

/// What a row has, with memory of its own.
struct content {
  std::int64_t id;
  std::vector<std::string> tags;
  std::optional<std::vector<std::int32_t>> scores;
  auto operator<=>(const content&) const = default;
};

inline content content_of(const article& one) {
  content made{one.id, {one.tags.begin(), one.tags.end()}, {}};
  if (one.scores) made.scores.emplace(one.scores->begin(), one.scores->end());
  return made;
}

inline std::vector<content> contents_of(const query<detail::source<article>>& rows) {
  std::vector<content> all;
  rows.for_each_chunk([&](std::span<const article> chunk) {
    for (const auto& one : chunk) all.push_back(content_of(one));
  });
  return all;
}

/// How often each tag is there, as rows have it and as a query counts it.
using tag_counts = std::map<std::string, std::int64_t>;
inline tag_counts tags_of(const std::vector<content>& rows) {
  tag_counts counts;
  for (const auto& one : rows)
    for (const auto& tag : one.tags) ++counts[tag];
  return counts;
}
inline tag_counts tags_of(const query<detail::source<article>>& rows) {
  tag_counts counts;
  for (const auto& [tag, n] :
       rows.flat_map(&article::tags).group_by(std::identity()).count().collect())
    counts[std::string(tag)] = n;
  return counts;
}

/// Row number i; of some lists, which repeat.
inline content nth(std::int64_t i) {
  content made{i * 7'919 % 100'003, {}, {}};
  for (std::int64_t n = i % 5; n > 0; --n)
    made.tags.push_back(i % 11 == 0 ? "" : "tag " + std::to_string(i * n % 97));
  if (i % 3 != 0) {
    made.scores.emplace();
    for (std::int64_t n = i % 7; n > 0; --n) made.scores->push_back(static_cast<int>(i * n % 1000));
  }
  return made;
}

}  // namespace pappus::testing::articles

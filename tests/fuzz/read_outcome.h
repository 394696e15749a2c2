// What a reader of text makes of a file, as a text of its own that tells every bit.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "pappus/bad_rows.h"
#include "pappus/error.h"
#include "support/test_workers.h"

namespace pappus::testing {

/// The rows, bit for bit, and what the log tells of those that were left out; or the error.
/// \tparam Row   has a text, a std::string_view, and a word, which may be missing; perhaps lists,
///               names, and counts, which may be missing
/// \param  open  () -> a reader
template <typename Row, typename Open>
std::string read_outcome(Open open, unsigned threads, std::int64_t capacity,
                         const bad_row_log& log) {
  test_workers team(threads);
  std::string outcome;
  try {
    auto reader = open();
    std::vector<Row> rows(static_cast<std::size_t>(capacity));
    while (const auto n = reader.read(team, reinterpret_cast<std::byte*>(rows.data()), capacity)) {
      for (Row& row : std::span(rows).first(static_cast<std::size_t>(n))) {
        outcome.append(row.text).append("|").append(row.word.value_or("?")).append("|");
        std::memset(static_cast<void*>(&row.text), 0, sizeof(row.text));
        if (row.word) row.word = std::string_view();
        if constexpr (requires { row.names; }) {  // lists
          for (const auto name : row.names) outcome.append(name).append("|");
          for (const auto count : row.counts.value_or(typename decltype(row.counts)::value_type()))
            outcome.append(std::to_string(count)).append("|");
          std::memset(static_cast<void*>(&row.names), 0, sizeof(row.names));
          if (row.counts) row.counts.emplace();
        }
        outcome.append(reinterpret_cast<const char*>(&row), sizeof(row));
      }
    }
  } catch (const format_error& thrown) {
    return thrown.what();
  }
  outcome += std::to_string(log.count());
  for (const auto& row : log.first())
    outcome += "|" + row.column + std::to_string(row.line) + row.reason;
  return outcome;
}

}  // namespace pappus::testing

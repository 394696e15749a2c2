// How many records lack their values that may be missing (std::optional), as their readers counted.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace pappus::detail {

struct missing_counts {
  struct field {
    std::size_t presence = 0;  ///< where in a record the byte lies that says whether it is there
    std::int64_t missing = 0;  ///< records in which it isn't
  };
  std::int64_t rows = 0;  ///< that were looked at
  std::vector<field> fields{};

  /// Counts of other records as well: of fields that both know.
  void add(const missing_counts& others) {
    if (rows == 0) {
      *this = others;
    } else if (others.rows > 0) {
      std::erase_if(fields, [&](const field& own) { return !others.of(own.presence); });
      for (auto& own : fields) own.missing += *others.of(own.presence);
      rows += others.rows;
    }
  }
  std::optional<std::int64_t> of(std::size_t presence) const {
    const auto found = std::ranges::find(fields, presence, &field::presence);
    return found == fields.end() ? std::nullopt : std::optional(found->missing);
  }
};

}  // namespace pappus::detail

// Copies what an opaque function returned for some rows to where its records go.
#pragma once

#include <cstddef>
#include <cstdint>
#include <new>
#include <ranges>
#include <vector>

#include "pappus/detail/base/apply.h"

namespace pappus::detail {

/// \tparam Range  of records, sized or not
template <typename Range>
void put_range(Range&& range, apply_output& out) {
  using record = std::ranges::range_value_t<Range>;
  const auto copy = [&](const auto& sized) {
    auto* to = reinterpret_cast<record*>(out.room(out, static_cast<std::int64_t>(sized.size())));
    for (const record& value : sized) ::new (static_cast<void*>(to++)) record(value);
  };
  if constexpr (requires { range.size(); }) {
    copy(range);
  } else {
    std::vector<record> all;
    for (const record& value : range) all.push_back(value);
    copy(all);
  }
}

}  // namespace pappus::detail

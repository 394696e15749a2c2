// Bytes of results, for tests that compare results bit by bit.
#pragma once

#include <vector>

namespace pappus::testing {

/// All records' bytes, in order, of records without padding.
template <typename Rows>
std::vector<char> bytes_of(const Rows& rows) {
  std::vector<char> bytes;
  rows.for_each_chunk([&](auto chunk) {
    const auto* const first = reinterpret_cast<const char*>(chunk.data());
    bytes.insert(bytes.end(), first, first + chunk.size_bytes());
  });
  return bytes;
}

template <typename T>
std::vector<char> bytes_of_value(const T& value) {
  const auto* const first = reinterpret_cast<const char*>(&value);
  return {first, first + sizeof(T)};
}

}  // namespace pappus::testing

// Whole arrays in files, for tests: read chunk by chunk.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "formats/array_file.h"
#include "formats/support.h"

namespace pappus::testing {

using extents_type = std::vector<std::int64_t>;

/// Calls f(place) for all places of a grid, in row-major order.
template <typename F>
void for_places(const extents_type& extents, F&& f) {
  if (std::ranges::min(extents) < 1) return;
  extents_type place(extents.size(), 0);
  for (bool more = true; more;) {
    f(place);
    more = false;
    for (std::size_t d = extents.size(); d-- > 0 && !more;) {
      more = ++place[d] < extents[d];
      if (!more) place[d] = 0;
    }
  }
}

inline extents_type chunks_of(const formats::array_shape& shape) {
  extents_type chunks;
  for (std::size_t d = 0; d < shape.extents.size(); ++d) {
    chunks.push_back((shape.extents[d] + shape.chunk[d] - 1) / shape.chunk[d]);
  }
  return chunks;
}

/// Calls f(in the array, in the chunk) for all elements of a chunk that lie within the extents.
/// \param row_of  how far apart the chunk's elements are: extents of a whole chunk, or of its part
template <typename F>
void for_elements(const formats::array_shape& shape, const extents_type& chunk, bool whole, F&& f) {
  extents_type part;
  for (std::size_t d = 0; d < chunk.size(); ++d) {
    part.push_back(std::min(shape.chunk[d], shape.extents[d] - chunk[d] * shape.chunk[d]));
  }
  for_places(part, [&](const extents_type& at) {
    std::int64_t in_array = 0, in_chunk = 0;
    for (std::size_t d = 0; d < at.size(); ++d) {
      in_array = in_array * shape.extents[d] + chunk[d] * shape.chunk[d] + at[d];
      in_chunk = in_chunk * (whole ? shape.chunk[d] : part[d]) + at[d];
    }
    f(static_cast<std::size_t>(in_array), static_cast<std::size_t>(in_chunk));
  });
}

inline std::size_t product_of(const extents_type& extents) {
  std::size_t all = 1;
  for (const std::int64_t extent : extents) all *= static_cast<std::size_t>(extent);
  return all;
}

/// The elements of a whole array. No load may take more than it said.
template <typename T>
std::vector<T> read_array(const formats::array_file& file) {
  EXPECT_EQ(file.element_bytes(), sizeof(T));
  const formats::array_shape& shape = file.shape();
  std::vector<T> all(product_of(shape.extents)), chunk(product_of(shape.chunk));
  test_memory memory;
  for_places(chunks_of(shape), [&](const extents_type& place) {
    file.announce(place);
    if (!file.load(place, memory, reinterpret_cast<std::byte*>(chunk.data()))) {
      for (T& element : chunk) std::memcpy(&element, file.fill().data(), sizeof element);
    }
    for_elements(shape, place, true,
                 [&](std::size_t to, std::size_t from) { all[to] = chunk[from]; });
  });
  EXPECT_LE(memory.peak_bytes(), file.scratch_bytes());
  EXPECT_EQ(memory.used_bytes(), 0U);
  return all;
}

/// 10 y + x, and so on in more dimensions, as far as T can hold them.
template <typename T>
std::vector<T> counted(const extents_type& extents) {
  std::vector<T> all;
  for_places(extents, [&](const extents_type& at) {
    std::int64_t value = 0;
    for (const std::int64_t each : at) value = value * 10 + each;
    all.push_back(static_cast<T>(value));
  });
  return all;
}

}  // namespace pappus::testing

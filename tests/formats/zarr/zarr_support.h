// Whole arrays in Zarr folders, for tests: written and read chunk by chunk.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "formats/array_support.h"
#include "formats/support.h"
#include "formats/zarr/zarr.h"

namespace pappus::testing {

template <typename T>
std::vector<T> read_array(const std::string& path, std::size_t rank,
                          const detail::record_layout& layout = detail::layout_of<T>()) {
  return read_array<T>(*formats::open_zarr(path, layout, rank));
}

template <typename T>
void put_chunk(formats::array_writer& writer, const extents_type& place,
               const std::vector<T>& all) {
  test_memory memory;
  std::vector<T> chunk;
  for_elements(writer.shape(), place, false,
               [&](std::size_t from, std::size_t) { chunk.push_back(all[from]); });
  writer.put(place, memory, reinterpret_cast<const std::byte*>(chunk.data()));
  EXPECT_EQ(memory.used_bytes(), 0U);
}

inline formats::array_options how(const extents_type& chunk, const extents_type& shard = {},
                                  const std::string& codec = "") {
  return {chunk, shard, codec};
}

/// Writes a whole array.
template <typename T>
void write_array(const std::string& path, const std::vector<T>& all, const extents_type& extents,
                 const formats::array_options& options = {},
                 const detail::record_layout& layout = detail::layout_of<T>()) {
  const auto writer = formats::create_zarr(path, layout, extents, options);
  for_places(chunks_of(writer->shape()),
             [&](const extents_type& place) { put_chunk(*writer, place, all); });
  writer->close();
}

/// Puts a file below a folder, with the folders between.
inline void create_below(const std::string& folder, const std::string& name,
                         std::string_view content) {
  const std::filesystem::path path = std::filesystem::path(folder) / name;
  std::filesystem::create_directories(path.parent_path());
  create_file(path.string(), content);
}

}  // namespace pappus::testing

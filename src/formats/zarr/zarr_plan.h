// How an array is to be written: what a user asks for, checked, and our choice of the rest.
//
// Chunks take about a mebibyte and are about as long in all dimensions, so that whoever reads a
// part of the array reads little else, whichever way the part lies.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "formats/array_file.h"
#include "formats/array_type.h"
#include "formats/codecs/codec_choice.h"

namespace pappus::formats {

struct zarr_plan {
  std::string path;
  element_plan elements;
  std::vector<std::int64_t> extents;  ///< of elements, as all others here
  std::vector<std::int64_t> chunk;
  std::vector<std::int64_t> shard;  ///< empty: none
  codec_choice codec;

  /// Items of several fields have a type in version 2 alone.
  int version() const noexcept { return elements.item.structured ? 2 : 3; }
  /// What blosc shuffles.
  std::size_t scalar_bytes() const noexcept { return elements.item.bytes; }
  /// The metadata's name and text.
  std::string metadata_name() const { return version() == 2 ? ".zarray" : "zarr.json"; }
  std::string metadata() const;
};

/// Throws usage_error, and format_error where something else than a Zarr store has the path.
zarr_plan plan_zarr(const std::string& path, const detail::record_layout& layout,
                    const std::vector<std::int64_t>& extents, const array_options& options);

}  // namespace pappus::formats

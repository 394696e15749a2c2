#include "formats/raw/raw_array.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "formats/codecs/decompressor.h"
#include "formats/row_chunks.h"
#include "pappus/error.h"

namespace pappus::formats {
namespace {

void check_no_text(const std::string& path, const detail::record_layout& layout) {
  for (const auto& one : layout.columns)
    if (leads_elsewhere(one.type))
      throw usage_error(path + ": expected elements that hold their values, got " +
                        name_of_leading(one.type) + ", which points elsewhere");
}

}  // namespace

std::unique_ptr<array_file> open_raw_array(const std::string& path,
                                           const detail::record_layout& layout,
                                           const std::vector<std::int64_t>& extents) {
  check_no_text(path, layout);
  auto source = open_file(path);
  std::int64_t bytes = static_cast<std::int64_t>(layout.bytes);
  for (const auto extent : extents)
    if (extent < 0 || __builtin_mul_overflow(bytes, extent, &bytes))
      throw usage_error(
          fmt::format("{}: expected extents of 0 and more, and less than 2^63 bytes, got {}", path,
                      shape_text(extents)));
  refuse_compressed_raw(*source, source->bytes() == bytes);
  if (source->bytes() != bytes)
    throw format_error(
        fmt::format("{}: expected {} bytes, {} elements of {} bytes, got {} bytes; the file is cut "
                    "off, or its extents or elements are others",
                    path, bytes, shape_text(extents), layout.bytes, source->bytes()));
  return open_element_file(std::move(source),
                           {"raw", 0, {record_map::identical(layout.bytes), extents}});
}

std::unique_ptr<array_writer> create_raw_array(const std::string& path,
                                               const detail::record_layout& layout,
                                               const std::vector<std::int64_t>& extents,
                                               const array_options& options) {
  check_no_text(path, layout);
  element_plan plan{record_map::identical(layout.bytes), {}, {}, {}};
  return create_element_file(path, {}, std::move(plan), extents, options);
}

}  // namespace pappus::formats

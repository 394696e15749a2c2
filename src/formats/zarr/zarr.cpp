#include "formats/zarr/zarr.h"

#include "formats/array_type.h"
#include "formats/zarr/zarr_file.h"
#include "formats/zarr/zarr_store.h"
#include "formats/zarr/zarr_writer.h"

namespace pappus::formats {

std::unique_ptr<array_file> open_zarr(const std::string& path, const detail::record_layout& layout,
                                      std::size_t rank) {
  const std::string folder = without_slashes(path);
  zarr_array array = read_zarr_array(folder);
  auto elements = match_elements(folder, array.item, array.shape, layout, rank);
  return std::make_unique<zarr_file>(folder, std::move(array), std::move(elements));
}

std::unique_ptr<array_writer> create_zarr(const std::string& path,
                                          const detail::record_layout& layout,
                                          const std::vector<std::int64_t>& extents,
                                          const array_options& options) {
  const std::string folder = without_slashes(path);
  return std::make_unique<zarr_writer>(plan_zarr(folder, layout, extents, options));
}

}  // namespace pappus::formats

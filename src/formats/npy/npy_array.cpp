#include "formats/npy/npy_array.h"

#include <utility>
#include <vector>

#include "formats/npy/npy_header.h"
#include "formats/npy/npy_match.h"
#include "formats/row_chunks.h"
#include "pappus/error.h"

namespace pappus::formats {

std::unique_ptr<array_file> open_npy_array(const std::string& path,
                                           const detail::record_layout& layout, std::size_t rank) {
  auto source = open_file(path);
  const auto header = read_npy_header(*source);
  const auto item = item_of(header);
  auto elements = match_elements(path, item, header.shape, layout, rank);
  if (header.fortran_order && header.shape.size() > rank)
    throw format_error(
        path +
        ": expected the items of an element one after another, got them far apart, as its first "
        "dimension is contiguous (fortran_order); save it with numpy.ascontiguousarray");
  return open_element_file(std::move(source), {"npy", header.data_offset, std::move(elements),
                                               header.fortran_order && rank > 1});
}

std::unique_ptr<array_writer> create_npy_array(const std::string& path,
                                               const detail::record_layout& layout,
                                               const std::vector<std::int64_t>& extents,
                                               const array_options& options) {
  auto plan = plan_elements(path, layout);
  auto shape = extents;
  shape.insert(shape.end(), plan.extents.begin(), plan.extents.end());
  auto header = print_npy_header(plan.descr, shape);
  return create_element_file(path, std::move(header), std::move(plan), extents, options);
}

}  // namespace pappus::formats

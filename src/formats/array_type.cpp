#include "formats/array_type.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "formats/npy/npy_match.h"
#include "pappus/error.h"

namespace pappus::formats {
namespace {

using detail::record_layout;

std::string got_text(const array_item& item, const std::vector<std::int64_t>& shape) {
  return fmt::format("shape {} of {}", shape_text(shape),
                     item.structured ? fields_text(item) : item.fields[0].dtype);
}

/// Items of an element: the product of the file's last dimensions.
std::size_t items_of_element(const std::vector<std::int64_t>& shape, std::size_t rank) {
  constexpr std::size_t most = std::size_t{1} << 31;
  std::size_t items = 1;
  for (std::size_t d = rank; d < shape.size(); ++d) {
    items *= std::min(static_cast<std::size_t>(std::max<std::int64_t>(shape[d], 0)), most);
    if (items >= most) return most;
  }
  return items;
}

}  // namespace

std::string shape_text(const std::vector<std::int64_t>& extents) {
  return fmt::format("[{}]", fmt::join(extents, ", "));
}

std::string wanted_text(const record_layout& layout, std::size_t rank) {
  std::string element = fmt::format("records of {} bytes", layout.bytes);
  if (!layout.columns.empty()) {
    element = fields_text(layout);
    if (is_plain(layout)) {
      element = npy_dtype(layout.columns[0].type);
      if (scalars(layout) > 1) element += fmt::format(" x {}", scalars(layout));
    }
  }
  return fmt::format("an array of {} dimension{} of {}", rank, rank == 1 ? "" : "s", element);
}

element_match match_elements(const std::string& file, const array_item& item,
                             const std::vector<std::int64_t>& shape, const record_layout& layout,
                             std::size_t rank) {
  refuse_missing(file, layout);
  refuse_text(file, layout);
  const auto fail = [&](const std::string& hint) {
    throw format_error(fmt::format("{}: expected {}, got {}{}", file, wanted_text(layout, rank),
                                   got_text(item, shape), hint));
  };
  const auto per_element = items_of_element(shape, rank);
  if (shape.size() < rank || (item.structured && shape.size() > rank)) fail("");
  element_match result{match_items(item, per_element, layout, fail),
                       {shape.begin(), shape.begin() + static_cast<std::ptrdiff_t>(rank)}};
  const auto element = std::max(result.map.record_bytes, result.map.file_bytes);
  std::int64_t bytes = static_cast<std::int64_t>(element);
  for (const auto extent : result.extents) {
    if (extent < 0) fail("; extents are 0 and more");
    if (__builtin_mul_overflow(bytes, std::max<std::int64_t>(extent, 1), &bytes))
      fail("; it takes less than 2^63 bytes");
  }
  return result;
}

element_plan plan_elements(const std::string& file, const record_layout& layout) {
  auto plan = plan_npy(file, layout);
  element_plan result{std::move(plan.map), {}, std::move(plan.descr), std::move(plan.extents)};
  result.item.structured = !is_plain(layout);
  std::size_t offset = 0;
  for (std::size_t i = 0; i < layout.columns.size(); ++i) {
    const auto& column = layout.columns[i];
    npy_field field{.name = column.name.empty() ? fmt::format("f{}", i) : column.name,
                    .dtype = npy_dtype(column.type),
                    .type = column.type,
                    .scalar_bytes = detail::cell_bytes(column.type),
                    .count = column.count,
                    .offset = offset};
    if (!result.item.structured) {
      field.name.clear(), field.count = 1;
      result.item.bytes = field.scalar_bytes;
      result.item.fields = {std::move(field)};
      break;
    }
    offset += field.bytes();
    result.item.fields.push_back(std::move(field));
    result.item.bytes = offset;
  }
  return result;
}

}  // namespace pappus::formats

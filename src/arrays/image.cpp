#include "arrays/image.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "pappus/error.h"

namespace pappus::arrays {
namespace {

/// Throws where they are negative, or more bytes than there are numbers for.
std::size_t bytes_of(const regions::box& extents, const detail::record_type& element) {
  check_extents(extents);
  std::int64_t bytes = 0;
  if (__builtin_mul_overflow(extents.volume(), static_cast<std::int64_t>(element.size), &bytes))
    throw usage_error(fmt::format(
        "array: expected less than 2^63 bytes, got {} elements of {} bytes; make it smaller",
        extents.volume(), element.size));
  return static_cast<std::size_t>(bytes);
}

}  // namespace

storage::storage(array_memory from, std::size_t bytes, std::string_view owner)
    : source(std::move(from)) {
  if (source.pages != nullptr) pageable = source.pages->make(bytes, owner);
  if (pageable == nullptr) memory = {*source.budget, bytes, owner};
  data = pageable != nullptr ? pageable->data() : memory.data();
}

storage::~storage() {
  if (file != nullptr) source.chunks->forget(*file);
}

void check_extents(const regions::box& extents) {
  for (std::size_t d = 0; d < extents.rank; ++d)
    if (extents.high[d] < extents.low[d])
      throw usage_error(fmt::format("array: expected extents of 0 and more, got {} in dimension {}",
                                    extents.high[d], d));
}

image_ptr make_image(const detail::record_type& element, const regions::box& extents,
                     const array_memory& memory, std::vector<std::byte> initial) {
  const auto bytes = bytes_of(extents, element);
  const part all{initial.empty() ? content::unwritten : content::initial, 0};
  return std::make_shared<image>(image{
      .all = extents,
      .element = element,
      .initial = std::move(initial),
      .parts = {extents, all},
      .elements =
          std::make_shared<storage>(memory, bytes, fmt::format("array of {}", element.name))});
}

image_ptr make_file_image(const detail::record_type& element, const array_memory& memory,
                          graph::chunked_ptr file) {
  const auto all = file->chunks().all();
  return std::make_shared<image>(image{.all = all,
                                       .element = element,
                                       .initial = {},
                                       .parts = {all, part{content::written, 0}},
                                       .elements = std::make_shared<storage>(memory, file),
                                       .file = file});
}

regions::box box_of(const detail::array_box& from) {
  regions::box result(from.rank);
  result.low = from.low;
  result.high = from.high;
  return result;
}

detail::array_box numbers_of(const regions::box& from) { return {from.rank, from.low, from.high}; }

regions::box relative(const regions::box& elements, const regions::box& part) {
  regions::box result = elements;
  for (std::size_t d = 0; d < part.rank; ++d) {
    result.low[d] -= part.low[d];
    result.high[d] -= part.low[d];
  }
  return result;
}

regions::box absolute(const regions::box& elements, const regions::box& part) {
  regions::box result = elements;
  for (std::size_t d = 0; d < part.rank; ++d) {
    result.low[d] += part.low[d];
    result.high[d] += part.low[d];
  }
  return result;
}

detail::view_place place_of(const image& of, const storage& elements, const regions::box& part) {
  detail::view_place place{elements.data, {}, {}};
  std::int64_t stride = 1, offset = 0;
  for (std::size_t d = of.all.rank; d-- > 0;) {
    place.extents[d] = std::max<std::int64_t>(part.high[d] - part.low[d], 0);
    place.strides[d] = stride;
    offset += part.low[d] * stride;
    stride *= of.all.high[d];
  }
  if (!part.empty() && elements.data != nullptr)
    place.elements += offset * static_cast<std::int64_t>(of.element.size);
  return place;
}

std::byte* address_in(const detail::view_place& place, const regions::point& element,
                      std::size_t rank, std::size_t size) {
  std::int64_t offset = 0;
  for (std::size_t d = 0; d < rank; ++d) offset += element[d] * place.strides[d];
  return place.elements + offset * static_cast<std::int64_t>(size);
}

std::string text(const image& of) {
  const auto rank = of.all.rank;
  return fmt::format("array<{}{}> of {}", of.element.name,
                     rank == 1 ? "" : fmt::format(", {}", rank),
                     fmt::join(of.all.high.begin(), of.all.high.begin() + rank, " x "));
}

}  // namespace pappus::arrays

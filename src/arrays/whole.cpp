#include "arrays/whole.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <vector>

#include <fmt/format.h>

#include "regions/parts.h"

namespace pappus::arrays {
namespace {

/// Calls row(offsets of its first element in each view, elements) for each row of a box.
template <typename Row>
void each_row(const detail::launch_args& args, std::size_t views, Row&& row) {
  regions::each_row(box_of(args.indices), [&](const regions::box& one) {
    std::array<std::int64_t, 2> offsets{};
    for (std::size_t v = 0; v < views; ++v)
      for (std::size_t d = 0; d < one.rank; ++d)
        offsets[v] += one.low[d] * args.views[v].strides[d];
    row(offsets, one.volume());
  });
}

void fill_loop(const void* function, const detail::launch_args& args) {
  const auto& value = *static_cast<const std::vector<std::byte>*>(function);
  const auto size = value.size();
  const bool same = std::ranges::all_of(value, [&](std::byte b) { return b == value.front(); });
  each_row(args, 1, [&](const auto& offsets, std::int64_t width) {
    auto* const to = args.views[0].elements + offsets[0] * static_cast<std::int64_t>(size);
    const auto bytes = static_cast<std::size_t>(width) * size;
    if (same) {
      std::memset(to, static_cast<int>(value.front()), bytes);
      return;
    }
    std::memcpy(to, value.data(), size);
    for (std::size_t done = size; done < bytes;) {
      constexpr std::size_t near = 16384;  // what is copied from stays in the first cache
      const auto more = std::min({done, near / size * size + size, bytes - done});
      std::memcpy(to + done, to, more);
      done += more;
    }
  });
}

void copy_loop(const void* function, const detail::launch_args& args) {
  const auto size = static_cast<std::int64_t>(*static_cast<const std::size_t*>(function));
  each_row(args, 2, [&](const auto& offsets, std::int64_t width) {
    std::memcpy(args.views[1].elements + offsets[1] * size,
                args.views[0].elements + offsets[0] * size, static_cast<std::size_t>(width * size));
  });
}

/// Index i is element i of an argument.
access one_to_one(const launch& of, std::size_t argument, regions::access_mode mode) {
  access result{argument, {.array = argument, .mode = mode, .slices = {}}, {}};
  for (std::size_t d = 0; d < of.indices.rank; ++d) {
    const auto index = regions::expression::index(d);
    result.formulas.slices.push_back({index, index});
  }
  const auto& part = of.arguments[argument].part;
  result.linear = regions::linear(result.formulas, of.indices, {}, relative(part, part));
  return result;
}

}  // namespace

std::shared_ptr<launch> filling(const image_ptr& array, const regions::box& where,
                                std::span<const std::byte> value) {
  auto result = std::make_shared<launch>();
  result->indices = relative(where, where);
  result->arguments = {{array, nullptr, where, detail::view_access::write, "array"}};
  result->accesses = {one_to_one(*result, 0, regions::access_mode::write)};
  result->footprint = "write array";
  result->known = launch::knowledge::annotated;
  result->function = std::make_shared<std::vector<std::byte>>(value.begin(), value.end());
  result->loop = fill_loop;
  result->function_type = "fill";
  return result;
}

storage_ptr move_to_new(image& array) {
  auto old = array.elements;
  array.elements = std::make_shared<storage>(old->source, array.bytes(),
                                             fmt::format("array of {}", array.element.name));
  return old;
}

std::shared_ptr<launch> moving(const image_ptr& array, const regions::box& where,
                               const storage_ptr& from) {
  auto result = copying({array, from, where}, {array, array->elements, where});
  result->function_type = "move";
  return result;
}

std::shared_ptr<launch> copying(const elements_part& from, const elements_part& to) {
  auto result = std::make_shared<launch>();
  result->indices = relative(from.where, from.where);
  result->arguments = {{from.array, from.elements, from.where, detail::view_access::read, "from"},
                       {to.array, to.elements, to.where, detail::view_access::write, "to"}};
  result->accesses = {one_to_one(*result, 0, regions::access_mode::read),
                      one_to_one(*result, 1, regions::access_mode::write)};
  result->footprint = "read from, write to";
  result->known = launch::knowledge::annotated;
  result->function = std::make_shared<std::size_t>(from.array->element.size);
  result->loop = copy_loop;
  result->function_type = "copy";
  return result;
}

}  // namespace pappus::arrays

#include "codegen/plugin/inferred_footprint.h"

#include <cstring>

namespace pappus::codegen {
namespace {

template <typename T>
std::int64_t integer_at(const std::byte* place) {
  T value;
  std::memcpy(&value, place, sizeof value);
  return static_cast<std::int64_t>(value);
}

std::int64_t integer_at(const std::byte* place, std::size_t bytes, bool is_signed) {
  switch (bytes) {
    case 1:
      return is_signed ? integer_at<std::int8_t>(place) : integer_at<std::uint8_t>(place);
    case 2:
      return is_signed ? integer_at<std::int16_t>(place) : integer_at<std::uint16_t>(place);
    case 4:
      return is_signed ? integer_at<std::int32_t>(place) : integer_at<std::uint32_t>(place);
    default:
      return integer_at<std::int64_t>(place);
  }
}

std::int64_t value_of(const symbol::captured& one, const void* captures) {
  auto* place = static_cast<const std::byte*>(captures) + one.path.front();
  for (std::size_t n = 1; n < one.path.size(); ++n) {
    const std::byte* behind = nullptr;
    std::memcpy(&behind, place, sizeof behind);
    if (behind == nullptr) return 0;
    place = behind + one.path[n];
  }
  return integer_at(place, one.bytes, one.is_signed);
}

}  // namespace

std::vector<std::int64_t> values_of(const inferred_footprint& of, const void* captures,
                                    std::span<const regions::box> arrays) {
  std::vector<std::int64_t> values;
  for (const auto& one : of.symbols) {
    const auto* extent = std::get_if<symbol::extent>(&one.from);
    values.push_back(extent != nullptr ? arrays[extent->view].extent(extent->dimension)
                                       : value_of(std::get<symbol::captured>(one.from), captures));
  }
  return values;
}

}  // namespace pappus::codegen

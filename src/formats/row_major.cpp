#include "formats/row_major.h"

#include <cstring>

namespace pappus::formats {
namespace {

template <std::size_t Bytes>
void copy_fixed(const std::byte* from, std::size_t stride, std::byte* to, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) std::memcpy(to + i * Bytes, from + i * stride, Bytes);
}

/// Copies n items that lie `stride` bytes apart.
void copy_apart(const std::byte* from, std::size_t stride, std::byte* to, std::size_t n,
                std::size_t item_bytes) {
  switch (item_bytes) {
    case 1:
      return copy_fixed<1>(from, stride, to, n);
    case 2:
      return copy_fixed<2>(from, stride, to, n);
    case 4:
      return copy_fixed<4>(from, stride, to, n);
    case 8:
      return copy_fixed<8>(from, stride, to, n);
    default:
      for (std::size_t i = 0; i < n; ++i) {
        std::memcpy(to + i * item_bytes, from + i * stride, item_bytes);
      }
  }
}

}  // namespace

void to_row_major(const std::byte* from, std::byte* to, std::vector<std::int64_t> extents,
                  std::vector<std::int64_t> room, std::vector<std::size_t> order,
                  std::size_t item_bytes) {
  // Last dimensions that are in their places are part of the items.
  while (order.size() > 1 && order.back() == order.size() - 1 && extents.back() == room.back()) {
    item_bytes *= static_cast<std::size_t>(extents.back());
    order.pop_back(), extents.pop_back(), room.pop_back();
  }
  const std::size_t rank = order.size();
  std::vector<std::size_t> strides(rank), strides_to(rank);  // bytes
  for (std::size_t stride = item_bytes, i = rank; i-- > 0;) {
    strides[order[i]] = stride;
    stride *= static_cast<std::size_t>(extents[order[i]]);
  }
  for (std::size_t stride = item_bytes, d = rank; d-- > 0;) {
    strides_to[d] = stride;
    stride *= static_cast<std::size_t>(room[d]);
  }
  const auto row = static_cast<std::size_t>(extents.back());
  std::vector<std::int64_t> at(rank);  // of a row
  for (bool more = true; more;) {
    std::size_t offset = 0, offset_to = 0;
    for (std::size_t d = 0; d + 1 < rank; ++d) {
      offset += static_cast<std::size_t>(at[d]) * strides[d];
      offset_to += static_cast<std::size_t>(at[d]) * strides_to[d];
    }
    copy_apart(from + offset, strides.back(), to + offset_to, row, item_bytes);
    more = false;
    for (std::size_t d = rank - 1; d-- > 0 && !more;) {
      more = ++at[d] < extents[d];
      if (!more) at[d] = 0;
    }
  }
}

}  // namespace pappus::formats

// Keys of a sort, as its passes store them (detail/loops/sort.h), and their order.
#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "algorithms/key_bits.h"
#include "graph/node.h"
#include "pappus/detail/loops/sort.h"

namespace pappus::cpu_ops {

/// Bytes from one stored key of a pass to the next.
inline std::size_t stored_key_bytes(const detail::sort_pass& pass) {
  return pass.key_bytes == 0 ? sizeof(std::string_view) : pass.key_bytes;
}

/// Room for a key of any pass.
struct alignas(16) stored_key : std::array<std::byte, 16> {};

/// Of two keys of a pass.
inline std::strong_ordering compare_keys(const detail::sort_pass& pass, const std::byte* a,
                                         const std::byte* b) {
  if (pass.key_bytes == 0) {
    const auto order =
        algorithms::load<std::string_view>(a) <=> algorithms::load<std::string_view>(b);
    return pass.descending ? 0 <=> order : order;
  }
  return algorithms::with_key_type(pass.key_bytes, [&](auto type) -> std::strong_ordering {
    using T = decltype(type);
    return algorithms::load<T>(a) <=> algorithms::load<T>(b);
  });
}

/// Of the keys of a sort's records, by all passes, the last of which has the most significant part.
/// \param a_key  a_key(pass number) is the key of the one record, b_key(pass number) of the other.
template <typename A, typename B>
std::strong_ordering compare_keys(const detail::sort_params& sort, A&& a_key, B&& b_key) {
  for (std::size_t k = sort.passes.size(); k-- > 0;)
    if (const auto order = compare_keys(sort.passes[k], a_key(k), b_key(k)); order != 0)
      return order;
  return std::strong_ordering::equal;
}

/// The same of a record, given by its address, and of keys.
template <typename B>
std::strong_ordering compare_keys(const graph::node& node, const std::byte* record, B&& b_key) {
  const auto& sort = node.as<detail::sort_params>();
  stored_key own;
  const auto own_key = [&](std::size_t k) {
    sort.passes[k].keys(node.stage.element.get(), &record, 1, own.data());
    return own.data();
  };
  return compare_keys(sort, own_key, b_key);
}

}  // namespace pappus::cpu_ops

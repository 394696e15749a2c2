#include "device_ops/operators/group_lists.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace pappus::device_ops {
namespace {

using detail::group_params;

sorted_groups room_for(const group_params& params, std::int64_t n, detail::memory_source& memory,
                       std::string_view owner) {
  const auto groups = static_cast<std::size_t>(n);
  return {
      n, {memory, groups * params.key_bytes, owner}, {memory, groups * params.state_bytes, owner}};
}

template <typename Key>
void put_in_order(const found_groups& found, std::size_t state_bytes, sorted_groups& to) {
  const auto n = static_cast<std::size_t>(found.n);
  std::vector<std::pair<Key, std::uint32_t>> order(n);
  for (std::size_t i = 0; i < n; ++i)
    order[i] = {reinterpret_cast<const Key*>(found.keys)[i], static_cast<std::uint32_t>(i)};
  std::sort(order.begin(), order.end());
  for (std::size_t i = 0; i < n; ++i) {
    to.keys.as<Key>()[i] = order[i].first;
    std::memcpy(to.states.data() + i * state_bytes, found.states + order[i].second * state_bytes,
                state_bytes);
  }
}

template <typename Key>
std::int64_t merge_pieces(const group_params& params, const sorted_groups& pieces) {
  auto* const keys = pieces.keys.as<Key>();
  auto* const states = pieces.states.data();
  const auto n = static_cast<std::size_t>(pieces.n), bytes = params.state_bytes;
  auto* const twice = std::adjacent_find(keys, keys + n);
  if (twice == keys + n) return pieces.n;
  auto last = static_cast<std::size_t>(twice - keys);
  for (std::size_t i = last + 1; i < n; ++i) {
    if (keys[i] == keys[last]) {
      params.merge.states(states + last * bytes, states + i * bytes, 1);
      continue;
    }
    ++last;
    if (last == i) continue;
    keys[last] = keys[i];
    std::memcpy(states + last * bytes, states + i * bytes, bytes);
  }
  return static_cast<std::int64_t>(last + 1);
}

}  // namespace

sorted_groups whole_groups(const group_params& params, sorted_groups pieces) {
  pieces.n = params.key_bytes == 4 ? merge_pieces<std::uint32_t>(params, pieces)
                                   : merge_pieces<std::uint64_t>(params, pieces);
  return pieces;
}

sorted_groups in_order(const group_params& params, const found_groups& found,
                       detail::memory_source& memory, std::string_view owner) {
  auto groups = room_for(params, found.n, memory, owner);
  if (params.key_bytes == 4)
    put_in_order<std::uint32_t>(found, params.state_bytes, groups);
  else
    put_in_order<std::uint64_t>(found, params.state_bytes, groups);
  return groups;
}

std::vector<sorted_groups> of_leaves(const group_params& params, sorted_groups all,
                                     std::size_t leaves, detail::workers& team,
                                     detail::memory_source& memory, std::string_view owner) {
  std::vector<sorted_groups> found(leaves);
  if (all.n == 0) return found;
  if (leaves == 1) {
    found[0] = {all.n,
                {memory, static_cast<std::size_t>(all.n) * params.key_bytes, owner},
                std::move(all.states)};
    std::copy_n(all.keys.as<const std::uint64_t>(), all.n, found[0].keys.as<std::uint32_t>());
    return found;
  }
  const auto* const keys = all.keys.as<const std::uint64_t>();
  const auto begin_of = [&](std::size_t leaf) {
    return std::lower_bound(keys, keys + all.n, std::uint64_t{leaf} << 32) - keys;
  };
  detail::parallel_chunks(team, leaves, [&](std::size_t leaf, unsigned) {
    const auto first = static_cast<std::size_t>(begin_of(leaf));
    const auto n = static_cast<std::size_t>(begin_of(leaf + 1)) - first;
    if (n == 0) return;
    auto groups = room_for(params, static_cast<std::int64_t>(n), memory, owner);
    for (std::size_t i = 0; i < n; ++i)
      groups.keys.as<std::uint32_t>()[i] = static_cast<std::uint32_t>(keys[first + i]);
    std::memcpy(groups.states.data(), all.states.data() + first * params.state_bytes,
                n * params.state_bytes);
    found[leaf] = std::move(groups);
  });
  return found;
}

}  // namespace pappus::device_ops

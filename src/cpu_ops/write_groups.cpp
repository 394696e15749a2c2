#include "cpu_ops/write_groups.h"

#include <algorithm>
#include <cstring>
#include <string_view>
#include <vector>

#include "algorithms/key_bits.h"
#include "algorithms/radix.h"
#include "algorithms/rows_in.h"
#include "algorithms/stretches.h"
#include "pappus/detail/base/integers.h"

namespace pappus::cpu_ops {
namespace {

std::size_t groups_in(const std::unique_ptr<group_table>& table) {
  return table == nullptr ? 0 : table->size();
}

void write_by_bits(run_context& context, const group_params& params,
                   std::span<const std::unique_ptr<group_table>> tables, std::size_t n) {
  const std::size_t key_bytes = params.key_bytes;
  const std::size_t half_keys = round_up(n * key_bytes, 64), half_states = round_up(n * 8, 64);
  detail::buffer keys(context.memory, 2 * half_keys, context.owner);
  detail::buffer states(context.memory, 2 * half_states, context.owner);
  const sort_buffers buffers{keys.data(), states.data(), keys.data() + half_keys,
                             states.data() + half_states};
  std::vector<std::size_t> first(tables.size());
  for (std::size_t i = 1; i < tables.size(); ++i)
    first[i] = first[i - 1] + groups_in(tables[i - 1]);
  detail::parallel_chunks(context.team, tables.size(), [&](std::size_t item, unsigned) {
    std::byte* key_to = buffers.keys + first[item] * key_bytes;
    std::byte* state_to = buffers.payload + first[item] * 8;
    if (tables[item] == nullptr) return;
    tables[item]->for_each([&](const std::byte* key, const std::byte* state) {
      std::memcpy(key_to, key, key_bytes);
      store(state_to, state);
      key_to += key_bytes;
      state_to += 8;
    });
  });
  const bool in_first = radix_sort(context.team, context.memory, buffers, n, key_bytes, 8,
                                   context.owner) == sorted_in::first;
  emit_groups(
      context, params, in_first ? buffers.keys : buffers.other_keys,
      reinterpret_cast<const std::byte* const*>(in_first ? buffers.payload : buffers.other_payload),
      n);
}

}  // namespace

void emit_groups(run_context& context, const group_params& params, const std::byte* keys,
                 const std::byte* const* states, std::size_t n) {
  const std::size_t size = context.node.out.size;
  detail::buffer rows(context.memory, n * size, context.owner);
  constexpr std::size_t piece = 4096;
  const auto items = detail::ceil_div(n, piece);
  detail::parallel_chunks(context.team, items, [&](std::size_t item, unsigned) {
    const std::size_t first = item * piece;
    params.emit(keys + first * params.key_bytes, states + first, std::min(piece, n - first),
                rows.data() + first * size);
  });
  append_buffer(*context.output, std::move(rows), static_cast<std::int64_t>(n));
}

groups_by_string::groups_by_string(run_context& context, const string_ids& names,
                                   std::span<const std::unique_ptr<group_table>> tables)
    : n(names.size()),
      keys(context.memory, n * sizeof(std::string_view), context.owner),
      states(context.memory, n * sizeof(std::byte*), context.owner) {
  detail::buffer ids(context.memory, n * sizeof(std::uint32_t), context.owner);
  detail::buffer by_id(context.memory, n * sizeof(std::byte*), context.owner);
  names.sorted(context.team, keys.as<std::string_view>(), ids.as<std::uint32_t>());
  detail::parallel_chunks(context.team, tables.size(), [&](std::size_t item, unsigned) {
    if (tables[item] == nullptr) return;
    tables[item]->for_each([&](const std::byte* key, const std::byte* state) {
      by_id.as<const std::byte*>()[load<std::uint32_t>(key)] = state;
    });
  });
  for_each_stretch(context.team, std::size_t{0}, n, [&](std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i)
      states.as<const std::byte*>()[i] = by_id.as<const std::byte*>()[ids.as<std::uint32_t>()[i]];
  });
  stop_if_cancelled(context.team);
}

void write_groups(run_context& context, const group_params& params, const string_ids* names,
                  std::span<const std::unique_ptr<group_table>> tables, std::size_t n) {
  if (n == 0) return;
  if (names == nullptr) return write_by_bits(context, params, tables, n);
  const groups_by_string all(context, *names, tables);
  emit_groups(context, params, all.keys.data(), all.states.as<const std::byte*>(), all.n);
}

}  // namespace pappus::cpu_ops

#include "cpu_ops/write_groups.h"

#include <algorithm>
#include <cstring>
#include <string_view>
#include <vector>

#include "algorithms/key_bits.h"
#include "algorithms/radix.h"
#include "algorithms/rows_in.h"
#include "algorithms/stretches.h"
#include "algorithms/string_sort.h"
#include "base/owned.h"
#include "pappus/detail/base/integers.h"

namespace pappus::cpu_ops {
namespace {

std::size_t groups_in(const std::unique_ptr<group_table>& table) {
  return table == nullptr ? 0 : table->size();
}

std::size_t groups_in(std::span<const std::unique_ptr<group_table>> tables) {
  std::size_t n = 0;
  for (const auto& table : tables) n += groups_in(table);
  return n;
}

/// The keys of groups, and where their states are.
struct group_places {
  detail::buffer keys, states;
};

/// Those of n groups, all that the tables have, one table's behind the other's.
group_places collect(run_context& context, std::span<const std::unique_ptr<group_table>> tables,
                     std::size_t n, std::size_t key_bytes) {
  group_places all{{context.memory, n * key_bytes, context.owner},
                   {context.memory, n * sizeof(std::byte*), context.owner}};
  std::vector<std::size_t> first(tables.size());
  for (std::size_t i = 1; i < tables.size(); ++i)
    first[i] = first[i - 1] + groups_in(tables[i - 1]);
  detail::parallel_chunks(context.team, tables.size(), [&](std::size_t item, unsigned) {
    std::byte* key_to = all.keys.data() + first[item] * key_bytes;
    std::byte* state_to = all.states.data() + first[item] * sizeof(std::byte*);
    if (tables[item] == nullptr) return;
    tables[item]->for_each([&](const std::byte* key, const std::byte* state) {
      std::memcpy(key_to, key, key_bytes);
      store(state_to, state);
      key_to += key_bytes;
      state_to += sizeof(std::byte*);
    });
  });
  stop_if_cancelled(context.team);
  return all;
}

void sort_by_bits(run_context& context, group_places& all, std::size_t n, std::size_t key_bytes) {
  group_places other{{context.memory, all.keys.size(), context.owner},
                     {context.memory, all.states.size(), context.owner}};
  const auto in =
      radix_sort(context.team, context.memory,
                 {all.keys.data(), all.states.data(), other.keys.data(), other.states.data()}, n,
                 key_bytes, sizeof(std::byte*), context.owner);
  if (in == sorted_in::other) all = std::move(other);
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

groups_by_string::groups_by_string(run_context& context, const coded_texts& names,
                                   std::span<const std::unique_ptr<group_table>> tables)
    : n_(groups_in(tables)) {
  auto all = collect(context, tables, n_, sizeof(bits128));
  detail::buffer longer = names.longer(context.team);
  const bool all_are_short = longer.size() == 0;
  if (all_are_short) sort_by_bits(context, all, n_, sizeof(bits128));  // the order of these texts
  states_ = std::move(all.states);
  keys_ = detail::buffer(context.memory, n_ * sizeof(std::string_view), context.owner);
  text_ = detail::buffer(context.memory, n_ * sizeof(bits128), context.owner);
  spell(context, all.keys.as<const bits128>(), longer.as<const std::string_view>());
  all.keys.reset();
  longer.reset();
  if (!all_are_short) sort_texts(context);
}

/// Makes keys of codes.
void groups_by_string::spell(run_context& context, const bits128* codes,
                             const std::string_view* longer) {
  for_each_stretch(context.team, std::size_t{0}, n_, [&](std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i)
      keys_.as<std::string_view>()[i] =
          coded_texts::text_of(codes[i], longer, text_.as<char>() + i * sizeof(bits128));
  });
  stop_if_cancelled(context.team);
}

void groups_by_string::sort_texts(run_context& context) {
  detail::buffer order(context.memory, n_ * sizeof(std::uint64_t), context.owner);
  const auto* const numbers = order.as<const std::uint64_t>();
  sort_strings(context.team, context.memory, this->keys(), n_, false, order.as<std::uint64_t>(),
               context.owner);
  detail::buffer keys(context.memory, keys_.size(), context.owner),
      states(context.memory, states_.size(), context.owner);
  for_each_stretch(context.team, std::size_t{0}, n_, [&](std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) {
      keys.as<std::string_view>()[i] = this->keys()[numbers[i]];
      states.as<const std::byte*>()[i] = this->states()[numbers[i]];
    }
  });
  stop_if_cancelled(context.team);
  keys_ = std::move(keys);
  states_ = std::move(states);
}

std::vector<detail::buffer> groups_by_string::take_text(coded_texts& names) {
  auto all = names.take_copies();
  all.push_back(std::move(text_));
  return all;
}

void write_groups(run_context& context, const group_params& params,
                  std::span<const std::unique_ptr<group_table>> tables, std::size_t n) {
  if (n == 0) return;
  auto all = collect(context, tables, n, params.key_bytes);
  sort_by_bits(context, all, n, params.key_bytes);
  emit_groups(context, params, all.keys.data(), all.states.as<const std::byte*>(), n);
}

void write_groups_of_texts(run_context& context, const group_params& params, coded_texts& names,
                           std::span<const std::unique_ptr<group_table>> tables) {
  groups_by_string all(context, names, tables);
  if (all.size() == 0) return;
  emit_groups(context, params, reinterpret_cast<const std::byte*>(all.keys()), all.states(),
              all.size());
  context.output->keep(base::owned(all.take_text(names), context.memory_owner));
}

}  // namespace pappus::cpu_ops

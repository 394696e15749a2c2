// Groups as ranges: a function called with each group's records side by side.
//
// Keys and records are extracted in row order, then sorted by key, stably, so that a group is a run
// of rows. Strings are numbered first and sorted by rank. A domain's keys without rows are groups
// of no records.
//
// Alternatives: partitioning by hash and sorting each partition (the result needs key order
// anyway); lists of row numbers (a gather for each group).
//
// Not here: streaming; a group must be in memory as a whole, and all are.
#include <cstring>
#include <vector>

#include "algorithms/radix.h"
#include "algorithms/rows_in.h"
#include "cpu_ops/group.h"
#include "ops/implementations.h"
#include "pappus/detail/base/integers.h"

namespace pappus::cpu_ops {
namespace {

using detail::map_groups_params;

/// Sorted keys and records.
struct sorted_rows {
  detail::buffer key_memory, record_memory;
  const std::byte* keys = nullptr;
  const std::byte* records = nullptr;
  std::size_t key_bytes = 0;
};

/// Calls f(first, last) for items of [0, n), in parallel.
template <typename F>
void for_each_item(run_context& context, std::size_t n, std::size_t per_item, F&& f) {
  detail::parallel_chunks(
      context.team, detail::ceil_div(n, per_item),
      [&](std::size_t item, unsigned) { f(item * per_item, std::min(n, (item + 1) * per_item)); });
}

sorted_rows extract_and_sort(run_context& context, string_ids* strings,
                             const detail::buffer& by_rank) {
  const auto& params = context.node.as<map_groups_params>();
  const auto n = static_cast<std::size_t>(context.rows);
  const std::size_t key_bytes = bits_bytes(params), record_bytes = params.payload_bytes;
  const std::size_t half_keys = round_up(n * key_bytes, 64);
  const std::size_t half_records = round_up(n * record_bytes, 64);
  sorted_rows rows;
  rows.key_bytes = key_bytes;
  rows.key_memory = detail::buffer(context.memory, 2 * half_keys, context.owner);
  rows.record_memory = detail::buffer(context.memory, 2 * half_records, context.owner);
  const sort_buffers buffers{rows.key_memory.data(), rows.record_memory.data(),
                             rows.key_memory.data() + half_keys,
                             rows.record_memory.data() + half_records};

  const auto extract = [&](std::int64_t first, std::int64_t last) {
    group_feeder feeder(context, params, strings);
    auto row = static_cast<std::size_t>(first);
    return feeder.feed(
        first, last, true, [&](const std::byte* keys, const std::byte* records, std::size_t count) {
          std::memcpy(buffers.keys + row * key_bytes, keys, count * key_bytes);
          std::memcpy(buffers.payload + row * record_bytes, records, count * record_bytes);
          row += count;
        });
  };
  for_each_item(context, n, 65536, [&](std::size_t first, std::size_t last) {
    spread_rows(context, static_cast<std::int64_t>(first), static_cast<std::int64_t>(last),
                extract);
  });
  if (strings != nullptr) {
    detail::buffer ranks(context.memory, strings->size() * sizeof(std::uint32_t), context.owner);
    detail::buffer ids(context.memory, strings->size() * sizeof(std::uint32_t), context.owner);
    strings->sorted(context.team, by_rank.as<std::string_view>(), ids.as<std::uint32_t>());
    for (std::size_t rank = 0; rank < strings->size(); ++rank)
      ranks.as<std::uint32_t>()[ids.as<std::uint32_t>()[rank]] = static_cast<std::uint32_t>(rank);
    for_each_item(context, n, 65536, [&](std::size_t first, std::size_t last) {
      auto* keys = reinterpret_cast<std::uint32_t*>(buffers.keys);
      for (std::size_t i = first; i < last; ++i) keys[i] = ranks.as<std::uint32_t>()[keys[i]];
    });
  }
  const bool in_first = radix_sort(context.team, context.memory, buffers, n, key_bytes,
                                   record_bytes, context.owner) == sorted_in::first;
  rows.keys = in_first ? buffers.keys : buffers.other_keys;
  rows.records = in_first ? buffers.payload : buffers.other_payload;
  return rows;
}

/// The first row of each run of equal keys, then the number of rows.
std::vector<std::size_t> run_starts(run_context& context, const sorted_rows& rows) {
  constexpr std::size_t per_item = 65536;
  const auto n = static_cast<std::size_t>(context.rows);
  std::vector<std::vector<std::size_t>> found(detail::ceil_div(n, per_item));
  for_each_item(context, n, per_item, [&](std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) {
      const std::byte* key = rows.keys + i * rows.key_bytes;
      if (i == 0 || std::memcmp(key, key - rows.key_bytes, rows.key_bytes) != 0)
        found[first / per_item].push_back(i);
    }
  });
  std::vector<std::size_t> starts;
  for (const auto& item : found) starts.insert(starts.end(), item.begin(), item.end());
  starts.push_back(n);
  return starts;
}

/// The rows of every key of the domain: those of key k begin at starts[k].
std::vector<std::size_t> domain_starts(run_context& context, const sorted_rows& rows,
                                       std::size_t domain) {
  const auto runs = run_starts(context, rows);
  const auto n = static_cast<std::size_t>(context.rows);
  std::vector<std::size_t> starts(domain + 1, n);
  std::size_t key = 0;
  for (std::size_t run = 0; run + 1 < runs.size(); ++run) {
    const std::byte* bits = rows.keys + runs[run] * rows.key_bytes;
    const std::size_t index =
        rows.key_bytes == 4 ? load<std::uint32_t>(bits) : load<std::uint64_t>(bits);
    while (key <= index) starts[key++] = runs[run];
  }
  return starts;
}

void map_groups(run_context& context) {
  const auto& params = context.node.as<map_groups_params>();
  for (const auto& input : context.inputs) context.output->keep_owners_of(*input);
  const bool dense = params.domain >= 0;
  std::unique_ptr<string_ids> strings;
  detail::buffer by_rank;
  if (params.strings) {
    strings = std::make_unique<string_ids>(context.memory, context.owner);
    by_rank = detail::buffer(context.memory,
                             static_cast<std::size_t>(context.rows) * sizeof(std::string_view),
                             context.owner);
  }
  const auto rows = extract_and_sort(context, strings.get(), by_rank);
  const auto starts = dense ? domain_starts(context, rows, static_cast<std::size_t>(params.domain))
                            : run_starts(context, rows);
  const std::size_t groups = starts.size() - 1, size = context.node.out.size;
  detail::buffer out(context.memory, groups * size, context.owner);
  // Small items share out long groups.
  const std::size_t per_item = std::clamp<std::size_t>(groups / 256, 1, 4096);
  for_each_item(context, groups, per_item, [&](std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last && !context.team.stopping(); ++i) {
      const auto index = static_cast<std::uint64_t>(i);
      const std::byte* key = rows.keys + starts[i] * rows.key_bytes;
      if (dense) key = reinterpret_cast<const std::byte*>(&index);  // little-endian: any width
      if (strings)
        key = reinterpret_cast<const std::byte*>(by_rank.as<std::string_view>() +
                                                 load<std::uint32_t>(key));
      params.apply(params.function.get(), key, rows.records + starts[i] * params.payload_bytes,
                   starts[i + 1] - starts[i], out.data() + i * size);
    }
  });
  append_buffer(*context.output, std::move(out), static_cast<std::int64_t>(groups));
}

constexpr phase map_groups_phases[] = {
    {"sort and map groups", phase::kind::launch, phase::when::each_window, map_groups},
};

}  // namespace

const cpu_operator& map_groups_on_cpu() {
  static constexpr cpu_operator made{map_groups_phases};
  return made;
}

}  // namespace pappus::cpu_ops

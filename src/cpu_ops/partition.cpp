// Puts rows together by partition, in row order within each.
//
// A counting sort by partition number: workers number the rows of a few ranges and count, then each
// range's rows have known places. The number of ranges doesn't change the result. Numbers are kept,
// so keys are extracted once.
//
// Range partitions need splitters: keys of evenly spaced rows are sorted and cut evenly, so the
// same data gives the same splitters on every machine.
//
// Alternatives: algorithms/partition.h (one pass, blocks): its parts aren't contiguous, but
// functions that are applied want spans.
#include <algorithm>
#include <cstring>
#include <vector>

#include "algorithms/key_bits.h"
#include "algorithms/rows_in.h"
#include "algorithms/stretches.h"
#include "cpu_ops/contract.h"
#include "cpu_ops/shared_rows.h"
#include "ops/implementations.h"
#include "pappus/detail/base/apply.h"
#include "pappus/detail/base/hash_string.h"
#include "pappus/detail/base/integers.h"

namespace pappus::cpu_ops {
namespace {

using detail::partition_kind;
using detail::partition_params;

constexpr std::int64_t samples_per_part = 64;
constexpr std::int64_t ranges_max = 64;

std::uint64_t hash_of(const std::string_view& text) { return detail::hash_string(text, 0); }
template <typename Key>
std::uint64_t hash_of(const Key& key) {
  return hash(key);
}

/// What range partitions compare: of a string, its first 16 bytes.
bits128 order_of(const std::string_view& text) {
  char first[16] = {};
  text.copy(first, sizeof(first));
  return {__builtin_bswap64(load<std::uint64_t>(reinterpret_cast<std::byte*>(first + 8))),
          __builtin_bswap64(load<std::uint64_t>(reinterpret_cast<std::byte*>(first)))};
}
bits128 order_of(const bits128& key) { return key; }
bits128 order_of(std::uint64_t key) { return {key, 0}; }

struct partition_state {
  detail::buffer numbers;                          // std::uint32_t of each row
  std::vector<std::vector<std::uint64_t>> counts;  // of each range, by partition
  std::int64_t per_range = 1;
};

/// Calls f(first row, keys, n) for blocks of rows [begin, end), until they prove slow; returns
/// those that are left.
template <typename Key, typename F>
slow_rows for_each_keys(const run_context& context, std::int64_t begin, std::int64_t end, F&& f) {
  const auto& params = context.node.as<partition_params>();
  alignas(Key) std::byte storage[sizeof(Key) * detail::block_rows_max];
  return for_each_fast_block(context, begin, end, true, [&](const detail::block_args& args) {
    detail::out_rows out{.cursor = storage};
    params.loop(context.node.stage.element.get(), args, out);
    f(args.row, reinterpret_cast<const Key*>(storage), args.rows);
  });
}

template <typename Key>
std::vector<bits128> choose_splitters(const run_context& context) {
  const auto& params = context.node.as<partition_params>();
  const std::int64_t samples = std::min(context.rows, samples_per_part * params.parts);
  std::vector<bits128> sample(static_cast<std::size_t>(samples));
  constexpr std::size_t per_item = 16;
  detail::parallel_chunks(
      context.team, detail::ceil_div(sample.size(), per_item), [&](std::size_t item, unsigned) {
        const std::size_t end = std::min(sample.size(), (item + 1) * per_item);
        for (std::size_t i = item * per_item; i < end; ++i) {
          const auto row = static_cast<std::int64_t>(static_cast<__int128>(context.rows) *
                                                     static_cast<std::int64_t>(i) / samples);
          for_each_keys<Key>(
              context, row, row + 1,
              [&](std::int64_t, const Key* keys, std::int64_t) { sample[i] = order_of(keys[0]); });
        }
      });
  std::sort(sample.begin(), sample.end());
  std::vector<bits128> splitters;
  for (std::int64_t part = 1; part < params.parts && !sample.empty(); ++part)
    splitters.push_back(sample[sample.size() * static_cast<std::size_t>(part) /
                               static_cast<std::size_t>(params.parts)]);
  return splitters;
}

/// Counts the rows of each partition among rows [begin, end).
void count_rows(const run_context& context, const std::uint32_t* numbers, std::int64_t begin,
                std::int64_t end, std::vector<std::uint64_t>& counts) {
  for_each_stretch(context.team, begin, end, [&](std::int64_t from, std::int64_t to) {
    for (std::int64_t i = from; i < to; ++i) ++counts[numbers[i]];
  });
}

template <typename Key>
void number_rows_of(run_context& context, partition_state& state) {
  const auto& params = context.node.as<partition_params>();
  const auto parts = static_cast<std::uint64_t>(params.parts);
  const bool by_hash = params.kind == partition_kind::hash;
  const auto splitters = by_hash ? std::vector<bits128>{} : choose_splitters<Key>(context);
  const auto number_of = [&](const Key& key) {
    if (by_hash) return static_cast<std::uint32_t>((hash_of(key) >> 32) * parts >> 32);
    return static_cast<std::uint32_t>(
        std::upper_bound(splitters.begin(), splitters.end(), order_of(key)) - splitters.begin());
  };
  detail::parallel_chunks(context.team, state.counts.size(), [&](std::size_t range, unsigned) {
    auto& counts = state.counts[range];
    counts.assign(parts, 0);
    const auto begin = static_cast<std::int64_t>(range) * state.per_range;
    const auto end = std::min(begin + state.per_range, context.rows);
    spread_rows(context, begin, end, [&](std::int64_t from, std::int64_t to) {
      return for_each_keys<Key>(context, from, to,
                                [&](std::int64_t first, const Key* keys, std::int64_t n) {
                                  auto* to_numbers = state.numbers.as<std::uint32_t>() + first;
                                  for (std::int64_t i = 0; i < n; ++i)
                                    to_numbers[i] = number_of(keys[i]);
                                });
    });
    count_rows(context, state.numbers.as<std::uint32_t>(), begin, end, counts);
  });
}

void number_rows(run_context& context) {
  const auto& params = context.node.as<partition_params>();
  auto state = std::make_shared<partition_state>();
  state->numbers =
      detail::buffer(context.memory, static_cast<std::size_t>(context.rows) * sizeof(std::uint32_t),
                     context.owner);
  state->per_range = std::max<std::int64_t>(65536, detail::ceil_div(context.rows, ranges_max));
  state->counts.resize(static_cast<std::size_t>(detail::ceil_div(context.rows, state->per_range)));
  context.state = state;
  if (params.strings)
    number_rows_of<std::string_view>(context, *state);
  else
    with_key_type(params.key_bytes,
                  [&](auto key) { number_rows_of<decltype(key)>(context, *state); });
}

/// Turns counts into the rows at which each range's part of a partition begins.
std::vector<std::int64_t> place_ranges(partition_state& state, std::size_t parts) {
  std::vector<std::int64_t> ends(parts);
  std::uint64_t next = 0;
  for (std::size_t part = 0; part < parts; ++part) {
    for (auto& counts : state.counts) next += std::exchange(counts[part], next);
    ends[part] = static_cast<std::int64_t>(next);
  }
  return ends;
}

template <std::size_t Size>
void move_rows(const std::byte* from, std::size_t size, const std::uint32_t* numbers,
               std::int64_t n, std::uint64_t* next, std::byte* to) {
  if constexpr (Size != 0) size = Size;
  for (std::int64_t i = 0; i < n; ++i, from += size) {
    std::byte* place = to + next[numbers[i]]++ * size;
    if constexpr (Size != 0)
      std::memcpy(place, from, Size);
    else
      std::memcpy(place, from, size);
  }
}

void place_rows(run_context& context) {
  auto& state = *static_cast<partition_state*>(context.state.get());
  const std::size_t size = context.node.out.size;
  auto ends =
      place_ranges(state, static_cast<std::size_t>(context.node.as<partition_params>().parts));
  const auto move = size == 4    ? move_rows<4>
                    : size == 8  ? move_rows<8>
                    : size == 16 ? move_rows<16>
                                 : move_rows<0>;
  detail::buffer rows(context.memory, static_cast<std::size_t>(context.rows) * size, context.owner);
  detail::parallel_chunks(context.team, state.counts.size(), [&](std::size_t range, unsigned) {
    const auto begin = static_cast<std::int64_t>(range) * state.per_range;
    for_each_block(context, begin, std::min(begin + state.per_range, context.rows),
                   [&](const detail::block_args& args) {
                     move(args.inputs[0], size, state.numbers.as<std::uint32_t>() + args.row,
                          args.rows, state.counts[range].data(), rows.data());
                   });
  });
  append_buffer(*context.output, std::move(rows), context.rows);
  context.output->keep_owners_of(*context.inputs[0]);
  context.output->partitioned(std::move(ends));
}

constexpr phase partition_phases[] = {
    {"number rows", phase::kind::launch, phase::when::each_window, number_rows},
    {"move rows", phase::kind::launch, phase::when::at_end, place_rows},
};

}  // namespace

const cpu_operator& partition_on_cpu() {
  static constexpr cpu_operator made{partition_phases};
  return made;
}

}  // namespace pappus::cpu_ops

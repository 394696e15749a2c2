// The keys of a join whose right side rests: those of right rows, and those that windows of left
// rows ask for.
#include <algorithm>
#include <cstring>
#include <utility>

#include "algorithms/key_bits.h"
#include "algorithms/rows_in.h"
#include "algorithms/stretches.h"
#include "cpu_ops/asked_join.h"
#include "cpu_ops/heard_keys.h"
#include "cpu_ops/shared_rows.h"
#include "pappus/detail/base/hash.h"
#include "pappus/detail/base/integers.h"

namespace pappus::cpu_ops {

using detail::join_build_params;

void asked_join::buckets_of(const std::byte* keys, std::size_t n, std::uint8_t* to) const {
  static_assert(partitions == 256);
  with_key_type(key_bytes_, [&](auto type) {
    for (std::size_t i = 0; i < n; ++i) {
      const auto key = algorithms::load<decltype(type)>(keys + i * sizeof type);
      to[i] = static_cast<std::uint8_t>(detail::hash(key, partition_seed) >> 56);
    }
  });
}

detail::buffer asked_join::whole_keys_of(const run_context& context, const std::byte* records,
                                         std::size_t n) const {
  const auto& params = build_.as<join_build_params>();
  const std::size_t bytes = params.keys.bytes;
  detail::buffer keys(context.memory, n * bytes, context.owner);
  for_each_item(context.team, n, rows_an_item(), [&](std::size_t at, std::size_t end) {
    detail::out_rows out{.cursor = keys.data() + at * bytes};
    for (; at < end && !context.team.stopping(); at += detail::block_rows_max) {
      const std::byte* const input = records + at * right_bytes_;
      const auto rows = std::min<std::size_t>(end - at, detail::block_rows_max);
      params.loop(
          build_.stage.element.get(),
          {.inputs = &input, .rows = static_cast<std::int64_t>(rows), .team = &context.team}, out);
    }
  });
  stop_if_cancelled(context.team);
  return keys;
}

/// The keys of right records, as they are asked for.
detail::buffer asked_join::keys_of(const run_context& context, const std::byte* records,
                                   std::size_t n) const {
  auto keys = whole_keys_of(context, records, n);
  return strings_ ? asked_hashes(context, keys.as<detail::text_key>(), n) : std::move(keys);
}

void asked_join::hear(run_context& context, std::int64_t rows, heard_keys& to) const {
  algorithms::join_index index;
  index.keys = build_.as<join_build_params>().keys;
  index.listener = &to;
  const detail::join_side row{&index};
  context.sides[side_] = {&row, 1};
  if (gathers_) context.sides[side_ + 1] = {};
  const auto& stage = context.node.stage;
  const auto look_up = [&](std::int64_t begin, std::int64_t end) {
    std::vector<std::int64_t> counts(static_cast<std::size_t>(stage.counts.up_to_joins) + 1);
    return for_each_fast_block(context, begin, end, true, [&](const detail::block_args& args) {
      stage.counts.joins(stage.element.get(), args, counts.data());
    });
  };
  for_each_item(context.team, static_cast<std::size_t>(rows), rows_an_item(),
                [&](std::size_t begin, std::size_t end) {
                  spread_rows(context, static_cast<std::int64_t>(begin),
                              static_cast<std::int64_t>(end), look_up);
                });
  context.sides[side_] = {};
  stop_if_cancelled(context.team);
}

void asked_join::ask(run_context& context) {
  heard_keys keys(context, key_bytes_, strings_);
  hear(context, context.rows, keys);
  const auto visit = [&](std::size_t item, auto&& put) {
    for_each_bucket(keys.block(item), keys.keys_in(item), [&](std::size_t i, std::size_t bucket) {
      put(keys.block(item) + i * key_bytes_, bucket);
    });
  };
  scattering all(context, key_bytes_, keys.blocks(), partitions, visit);
  auto& own = last_.emplace_back(all.take(0, keys.blocks(), keys.count()));
  leave_distinct(context, key_bytes_, own);
  last_bytes_ += own.records.size();
  if (last_bytes_ > std::min(context.store->available() / 6, buffer_bytes_max))
    let_keys_rest(context);
}

void asked_join::let_keys_rest(run_context& context) {
  if (last_.empty()) return;
  const std::size_t count = last_.size();
  scattered_buffer made{{context.memory, last_bytes_, context.owner},
                        std::vector<std::uint32_t>(partitions * count)};
  std::uint32_t at = 0;
  for (std::size_t p = 0; p < partitions; ++p)
    for (std::size_t window = 0; window < count; ++window) {
      const std::size_t first = last_[window].begin(p), n = last_[window].ends[p] - first;
      if (n > 0)
        std::memcpy(made.records.data() + at * key_bytes_,
                    last_[window].records.data() + first * key_bytes_, n * key_bytes_);
      made.ends[p * count + window] = at += static_cast<std::uint32_t>(n);
    }
  asked_.push_back({windows_.size() - count, count, {type_of_keys(), partitions * count}});
  if (at > 0) asked_.back().keys.add(context, std::move(made));
  last_.clear();
  last_bytes_ = 0;
}

}  // namespace pappus::cpu_ops

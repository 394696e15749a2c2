// group_by: a grouped reduction, or the distinct keys.
//
// Problem: 1e8 rows must be grouped in little more time than reading them takes, for ten groups as
// for ten million, and sums of floats must not depend on who added what.
//
// Idea: four ways, chosen by the query and its data alone.
//   domain, small table    every leaf of rows (algorithms/group_leaves.h) has a table of its own,
//                          filled by one fused typed loop.
//   domain, large table    rows are partitioned by key, stably, and each partition is folded in row
//                          order into its part of the leaf's table, which fits a core's cache.
//   few groups             as the first, with hash tables.
//   many groups            rows are partitioned by hash, and each partition is folded in row order
//                          into a hash table of its own.
// All ways accumulate the rows of a leaf in order and merge leaves by leaf_tree, so the way can't
// change a result: that is a question of speed. Where rows are partitioned, a partition's part of
// a leaf is merged by the worker that has just folded it. All ways take their rows window by window
// and carry a leaf that a window cuts.
//
// Keys that are strings are codes of 16 bytes (algorithms/coded_texts.h); the order of the texts is
// needed at the end only.
//
// Alternatives: one concurrent table (order of addition would depend on timing); sorting all rows
// (moves them several times). Groups as ranges do need that: map_groups.cpp.
//
// Hash tables that memory has no room for rest on a disk, a partition at a time (rested_groups.h);
// then groups come in ranges of keys (ordered_groups.h). Strings that are too many to be coded are
// late: their rows are sorted, and go to the disk (late_groups.h).
//
// Not here: one key that most rows have is folded by one worker where there are
// many groups.
#include "cpu_ops/group.h"
#include "algorithms/alignment.h"
#include "base/memory_scale.h"
#include "ops/implementations.h"

#include <fmt/format.h>

#include "pappus/detail/base/integers.h"
#include "pappus/error.h"
#include "pappus/group.h"

namespace pappus::detail {

void throw_outside_domain(const std::string& key, std::int64_t domain) {
  throw usage_error(
      fmt::format("group_by: key {} lies outside domain{{{}}}: expected 0 <= key < {}; enlarge the "
                  "domain, filter such records out or leave the domain out",
                  key, domain, domain));
}

void throw_empty_group(const char* reducer, const std::string& key) {
  throw usage_error(
      fmt::format("group_by.{}: key {} of the domain has no records: expected at least one; leave "
                  "the domain out, and the groups that have records stay, or use reduce<R>() with "
                  "a reducer whose finalize() has a value for none",
                  reducer, key));
}

std::int64_t size_of(const domain& of) {
  if (of.size < 0)
    throw usage_error(
        fmt::format("group_by: expected domain{{k}} with k >= 0, got domain{{{}}}", of.size));
  return of.size;
}

}  // namespace pappus::detail

namespace pappus::cpu_ops {

group_feeder::group_feeder(const run_context& context, const group_params& params,
                           string_keys strings)
    : context_(context), params_(params), strings_(strings) {
  constexpr std::size_t payload_bytes_max = 16384;  // half of a core's L1
  const bool copies = params.payload_bytes != 0 && !params.in_place;
  capacity = copies ? std::clamp<std::size_t>(payload_bytes_max / params.payload_bytes, 16,
                                              detail::group_batch_rows)
                    : detail::group_batch_rows;
  const std::size_t key_bytes =
      round_up(capacity * params.key_bytes, alignment_for(params.payload_bytes));
  memory_ = detail::buffer(
      context.memory, key_bytes + (copies ? capacity * params.payload_bytes : 0), context.owner);
  keys = memory_.data();
  payload = copies ? memory_.data() + key_bytes : nullptr;
  if (strings.ids != nullptr) ids_.resize(capacity);
  if (strings.codes != nullptr) {
    codes_.resize(capacity);
    coder_.emplace(*strings.codes, !params.keys_in_records);
  }
  flush = [](detail::group_batch& self, const std::byte* values, std::size_t n) {
    static_cast<group_feeder&>(self).hand_on(values, n);
  };
}

void group_feeder::hand_on(const std::byte* values, std::size_t n) {
  const std::byte* bits = keys;
  const auto* const names = reinterpret_cast<const std::string_view*>(keys);
  if (strings_.ids != nullptr) {
    bits = reinterpret_cast<const std::byte*>(ids_.data());
    if (params_.keys_in_records) recent_strings_.forget();  // others were there before
    strings_.ids->find_or_insert(names, n, ids_.data(), recent_strings_);
  } else if (coder_) {
    bits = reinterpret_cast<const std::byte*>(codes_.data());
    if (strings_.late != nullptr) strings_.late->count(n);
    if (coder_->codes_of(names, n, codes_.data()) > 0) return hand_on_coded(names, values, n);
  }
  consume_(consumer_, bits, values, n);
}

/// Rows whose keys have codes go on, stretch by stretch, the others are late.
void group_feeder::hand_on_coded(const std::string_view* names, const std::byte* values,
                                 std::size_t n) {
  const auto is_late = [&](std::size_t i) { return codes_[i] == coded_texts::none; };
  for (std::size_t begin = 0, end = 0; begin < n; begin = end) {
    for (; end < n && is_late(end); ++end)
      strings_.late->add(names[end], values + end * params_.payload_bytes);
    begin = end;
    while (end < n && !is_late(end)) ++end;
    if (begin < end)
      consume_(consumer_, reinterpret_cast<const std::byte*>(codes_.data() + begin),
               values + begin * params_.payload_bytes, end - begin);
  }
}

group_ranges::group_ranges(const run_context& context, std::int64_t begin, std::int64_t end,
                           const algorithms::group_leaf_of& leaf_of) {
  const auto rows_min = base::scaled<std::int64_t>(32768);
  const auto most = static_cast<std::int64_t>(context.team.count()) * 4;
  const auto wanted = std::clamp<std::int64_t>((end - begin) / rows_min, 1, most);
  const auto rows_each = detail::ceil_div(end - begin, wanted);
  borders.push_back(begin);
  while (borders.back() < end) {
    const std::int64_t row = borders.back();
    const auto leaf = leaf_of(row);
    const std::int64_t stop = std::min(leaf.end, end);
    const auto pieces = detail::ceil_div(stop - row, rows_each), first = std::int64_t{count()};
    for (std::int64_t i = 1; i <= pieces; ++i)
      borders.push_back(i == pieces ? stop : row + i * rows_each);
    parts.push_back(
        {leaf, static_cast<unsigned>(first), count(), row == leaf.begin, stop == leaf.end});
  }
}

std::int64_t group_ranges::leaf_of(unsigned range) const {
  const auto holds = [range](const part& one) { return range < one.last; };
  return std::ranges::find_if(parts, holds)->leaf.number;
}

std::size_t wanted_store_bytes(const detail::memory_source& memory, double table_bytes,
                               double missing_bytes) {
  // With 2, 8 and 16 times the tables' bytes 10^8 rows of 10^6 groups took 1.55, 1.28 and 1.2 of
  // the time by hand (Zen 5, two cores).
  constexpr double tables = 16;
  // A store is there while tables grow: it must not take what they need.
  const double left = static_cast<double>(memory.available()) - missing_bytes;
  const double most = std::max(left, 0.0) / 4;
  return std::max(base::scaled(ops::group_store_bytes),
                  static_cast<std::size_t>(std::min(tables * table_bytes, most)));
}

void for_each_partitioned(const run_context& context, const group_params& params,
                          const range_keys& strings, std::int64_t begin, std::int64_t end,
                          const algorithms::group_leaf_of& leaf_of, unsigned partitions,
                          const partition_function& function, const partition_taker& take,
                          std::size_t store_bytes) {
  const std::size_t row_bytes = bits_bytes(params) + params.payload_bytes;
  constexpr std::size_t few_rows = 65536, few_bytes = 5u << 19;
  const auto least = std::min(base::scaled(few_rows), base::scaled(few_bytes) / row_bytes + 64);
  const auto at_once = static_cast<std::int64_t>(std::max(store_bytes / row_bytes, least));
  for (std::int64_t first = begin; first < end; first += at_once) {
    const std::int64_t last = std::min(first + at_once, end);
    const group_ranges ranges(context, first, last, leaf_of);
    block_partition store(context.memory, ranges.count(), partitions, bits_bytes(params),
                          params.payload_bytes, static_cast<std::size_t>(last - first),
                          context.owner);
    detail::parallel_chunks(context.team, ranges.count(), [&](std::size_t item, unsigned) {
      const auto range = static_cast<unsigned>(item);
      const slow_rows rows{ranges.borders[item] - context.first_row,
                           ranges.borders[item + 1] - context.first_row};
      const auto append = [&](const std::byte* keys, const std::byte* values, std::size_t n) {
        store.append(range, keys, values, n, function);
      };
      const auto texts = strings ? strings(range, ranges.leaf_of(range)) : string_keys();
      if (texts.in_batches) {
        feed_in_order(context, params, texts, rows.begin, rows.end, append);
      } else {
        const auto coder = coder_of(params, texts);
        feed_block_by_block(context, params, texts, rows, append,
                            [&](const detail::block_args& args) {
                              auto buffers = store.buffers(range, function.shift());
                              buffers.texts = coder.get();
                              params.partition(context.node.stage.element.get(), args, buffers);
                            });
      }
      store.close(range);
    });
    take(store, ranges);
  }
}

namespace {

void accumulate_groups(run_context& context) {
  const auto& node = context.node;
  const bool stays = key_text_stays(context, node.as<group_params>());
  if (stays ? node.out.may_point() : node.op->keeps_text(node))
    for (const auto& input : context.inputs) context.output->keep_owners_of(*input);
  if (!context.state) {
    const bool dense = context.node.as<group_params>().domain >= 0;
    context.state = dense ? make_dense_group_run(context) : make_hash_group_run(context);
  }
  if (context.rows > 0) static_cast<group_run*>(context.state.get())->take(context);
}

void finish_groups(run_context& context) {
  static_cast<group_run*>(context.state.get())->finish(context);
}

constexpr phase group_phases[] = {
    {"accumulate", phase::kind::launch, phase::when::each_window, accumulate_groups},
    {"merge and order groups", phase::kind::reduce, phase::when::at_end, finish_groups},
};

void yield_groups(run_context& context) {
  static_cast<group_run*>(context.state.get())->yield(context);
}

constexpr phase ordered_phases[] = {
    {"accumulate", phase::kind::launch, phase::when::each_window, accumulate_groups},
    {"merge groups", phase::kind::reduce, phase::when::at_end, finish_groups},
    {"groups in order", phase::kind::launch, phase::when::each_output, yield_groups},
};

}  // namespace

const cpu_operator& group_on_cpu() {
  static constexpr cpu_operator made{group_phases};
  return made;
}

const cpu_operator& ordered_group_on_cpu() {
  static constexpr cpu_operator made{ordered_phases};
  return made;
}

}  // namespace pappus::cpu_ops

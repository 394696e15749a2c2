// group_by: a grouped reduction, or the distinct keys.
//
// Problem: 1e8 rows must be grouped in little more time than reading them takes, for ten groups as
// for ten million, and sums of floats must not depend on who added what.
//
// Idea: four ways, chosen by the query and its data alone.
//   domain, small table    every leaf (a fixed number of rows) has a table of its own, filled by
//                          one fused typed loop; leaves are merged first to last.
//   domain, large table    rows are partitioned by key, stably, and each partition is folded in row
//                          order into its part of the one table, which fits a core's cache.
//   few groups             as the first, with hash tables.
//   many groups            rows are partitioned by hash, and each partition is folded in row order
//                          into a hash table of its own.
// Without a domain the first leaf's groups tell, or expect(), whether there are few; a later leaf
// with many groups changes to the last way for the rows that follow (group_hash.cpp). All ways take
// their rows window by window and carry a leaf that a window cuts.
//
// Strings are numbered first and are then keys of four bytes; only their order is needed at the
// end.
//
// Alternatives: one concurrent table (order of addition would depend on timing); sorting all rows
// (moves them several times). Groups as ranges do need that: map_groups.cpp.
//
// Not here: spilling to disk; one key that most rows have is folded by one worker where there are
// many groups.
#include "cpu_ops/group.h"
#include "algorithms/alignment.h"
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
                           string_ids* strings)
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
  if (params.strings) ids_.resize(capacity);
  flush = [](detail::group_batch& self, const std::byte* values, std::size_t n) {
    static_cast<group_feeder&>(self).hand_on(values, n);
  };
}

void group_feeder::hand_on(const std::byte* values, std::size_t n) {
  const std::byte* bits = keys;
  if (params_.strings) {
    strings_->find_or_insert(reinterpret_cast<const std::string_view*>(keys), n, ids_.data());
    bits = reinterpret_cast<const std::byte*>(ids_.data());
  }
  consume_(consumer_, bits, values, n);
}

group_ranges::group_ranges(const run_context& context, std::int64_t rows) {
  constexpr std::int64_t rows_min = 32768;
  const auto most = static_cast<std::int64_t>(context.team.count()) * 4;
  count = static_cast<unsigned>(std::clamp<std::int64_t>(rows / rows_min, 1, most));
  rows_each = detail::ceil_div(rows, count);
}

void partition_rows(const run_context& context, const group_params& params, string_ids* strings,
                    std::int64_t begin, std::int64_t end, const group_ranges& ranges,
                    const partition_function& function, block_partition& into) {
  detail::parallel_chunks(context.team, ranges.count, [&](std::size_t item, unsigned) {
    const auto range = static_cast<unsigned>(item);
    const std::int64_t first = begin + static_cast<std::int64_t>(item) * ranges.rows_each;
    feed_in_order(context, params, strings, std::min(first, end),
                  std::min(first + ranges.rows_each, end),
                  [&](const std::byte* keys, const std::byte* values, std::size_t n) {
                    into.append(range, keys, values, n, function);
                  });
    into.close(range);
  });
}

namespace {

void accumulate_groups(run_context& context) {
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

}  // namespace

const cpu_operator& group_on_cpu() {
  static constexpr cpu_operator made{group_phases};
  return made;
}

}  // namespace pappus::cpu_ops

// Pairs of a join, sorted by group, for the iterations of a loop.
//
// Problem: in each iteration of, say, PageRank a query would look up the same keys, find the same
// pairs and send each to the same group; only the values differ.
//
// Idea: pairs of row numbers are partitioned by group and counted out within each partition, leaf
// by leaf, once. An iteration gathers right rows in a group's row order and adds them in a
// register: the additions are those of group_dense.cpp's partitions, and so are the bits. They hold
// as long as the left rows are the same and the index is, which join_build.cpp keeps while the
// right side's keys don't change (kept.h).
//
// Alternatives: keeping partitioned pairs unsorted (needs the key of each pair, and adds through
// memory); blocks of left and right rows at once, as hand-written versions have (adds in another
// order).
//
// Not here: groups without a domain, small domains, more than 2^32 rows of a side.
#include "cpu_ops/group_routes.h"

#include <bit>
#include <limits>

#include "algorithms/join_index.h"
#include "algorithms/stretches.h"
#include "cpu_ops/kept.h"
#include "pappus/error.h"

namespace pappus::cpu_ops {
namespace {

const algorithms::join_index& index_of(const run_context& context) {
  const auto& side = *static_cast<const detail::join_side*>(context.sides[0].data);
  return *static_cast<const algorithms::join_index*>(side.index);
}

bool can_be_routed(const run_context& context, const group_params& params) {
  constexpr std::int64_t most = std::numeric_limits<std::uint32_t>::max() - 1;
  if (params.routing.add == nullptr || context.rows == 0) return false;
  const auto& left = *context.inputs[0];
  return left.contiguous() && context.first_row == 0 && context.rows == left.rows() &&
         context.rows <= most && context.sides[1].count <= most;
}

/// Pairs of a partition are to stay in a core's L2 while they are counted out.
std::size_t keys_of_a_partition(const run_context& context, const group_params& params) {
  constexpr double pairs_wanted = 32768;
  return static_cast<std::size_t>(pairs_wanted * static_cast<double>(params.domain) /
                                  static_cast<double>(context.rows)) +
         1;
}

}  // namespace

key_partitions::key_partitions(std::int64_t all, std::size_t wanted) : domain(all) {
  constexpr unsigned shift_max = 31;  // keys may have 32 bits
  const auto keys = static_cast<std::uint64_t>(domain), least = keys / 512 + 1;
  const auto each = std::clamp<std::uint64_t>(wanted, least, std::max(keys, least));
  shift = std::min(static_cast<unsigned>(std::bit_width(each - 1)), shift_max);
  count = static_cast<unsigned>((keys - 1) >> shift) + 1;
}

std::shared_ptr<const group_routes> group_routes::of(const run_context& context,
                                                     const group_params& params,
                                                     const algorithms::group_leaf_of& leaf_of) {
  if (context.kept == nullptr || !can_be_routed(context, params)) return nullptr;
  kept_value<group_routes> kept(*context.kept);
  if (const auto routes = kept.get()) {
    if (routes->hold_for(context)) {
      kept.used_again();
      return routes;
    }
    kept.drop();
  }
  if (kept.given_up()) return nullptr;
  try {
    const std::shared_ptr<const group_routes> routes(new group_routes(context, params, leaf_of));
    kept.keep(routes, routes->bytes());
  } catch (const memory_error&) {
    kept.give_up();
  }
  return kept.get();
}

bool group_routes::hold_for(const run_context& context) const {
  return left_ == context.inputs[0] && index_ == index_of(context).id;
}

group_routes::group_routes(const run_context& context, const group_params& params,
                           const algorithms::group_leaf_of& leaf_of)
    : params_(params),
      keys_(params.domain, keys_of_a_partition(context, params)),
      left_(context.inputs[0]),
      index_(index_of(context).id) {
  group_params pairs = params;
  pairs.extract = nullptr;
  pairs.partition = params.routing.find;
  pairs.payload_bytes = sizeof(detail::row_pair);
  pairs.in_place = false;
  const auto take = [&](const block_partition& store, const group_ranges& ranges) {
    leaves_ = ranges.parts;
    begins_.assign(keys_.count * leaves_.size(), 0);
    std::uint64_t total = 0;
    for (unsigned partition = 0; partition < keys_.count; ++partition) {
      begins_[partition * leaves_.size()] = total;
      total += store.size(partition);
    }
    const std::size_t ends = leaves_.size() * static_cast<std::size_t>(keys_.domain);
    memory_ =
        detail::buffer(context.memory, (2 * total + ends) * sizeof(std::uint32_t), context.owner);
    left_rows_ = memory_.as<std::uint32_t>();
    right_rows_ = left_rows_ + total;
    ends_ = right_rows_ + total;
    detail::parallel_chunks(context.team, keys_.count, [&](std::size_t item, unsigned) {
      sort(context, store, static_cast<unsigned>(item));
    });
    stop_if_cancelled(context.team);
  };
  for_each_partitioned(context, pairs, {}, 0, context.rows, leaf_of, keys_.count,
                       partition_function::by_value({}, keys_.shift), take,
                       std::numeric_limits<std::size_t>::max());
}

/// Counts out the pairs of a partition, leaf by leaf.
void group_routes::sort(const run_context& context, const block_partition& store,
                        unsigned partition) {
  const auto first_key = static_cast<std::uint64_t>(keys_.first(partition));
  const std::size_t keys = keys_.keys(partition);
  std::uint64_t begin = begins_[partition * leaves_.size()];
  std::uint32_t* ends = ends_ + first_key * leaves_.size();
  for (std::size_t leaf = 0; leaf < leaves_.size(); ++leaf, ends += keys) {
    const auto for_each_pair = [&](auto&& f) {
      store.for_each(partition, leaves_[leaf].first, leaves_[leaf].last,
                     [&](const block_partition::rows& rows) {
                       if (context.team.stopping()) return;
                       const auto* pairs = reinterpret_cast<const detail::row_pair*>(rows.payload);
                       with_key_type(params_.key_bytes, [&](auto type) {
                         if constexpr (sizeof(type) <= 8) {
                           const auto* stored = reinterpret_cast<const decltype(type)*>(rows.keys);
                           detail::for_each_fetched(
                               rows.n, [&](std::size_t i) { f(stored[i] - first_key, pairs[i]); },
                               stored, pairs);
                         }
                       });
                     });
    };
    std::fill_n(ends, keys, 0u);
    for_each_pair([&](std::uint64_t key, const detail::row_pair&) { ++ends[key]; });
    std::uint32_t before = 0;
    for (std::size_t key = 0; key < keys; ++key) before += std::exchange(ends[key], before);
    for_each_pair([&](std::uint64_t key, const detail::row_pair& pair) {
      const std::uint64_t to = begin + ends[key]++;
      left_rows_[to] = pair.left;
      right_rows_[to] = pair.right;
    });
    begins_[partition * leaves_.size() + leaf] = begin;
    begin += before;
  }
}

void group_routes::add(const run_context& context, std::size_t leaf, unsigned partition,
                       std::byte* states) const {
  const std::size_t keys = keys_.keys(partition);
  const std::uint64_t begin = begins_[partition * leaves_.size() + leaf];
  const auto first_key = static_cast<std::size_t>(keys_.first(partition));
  const std::byte* const inputs[] = {left_->data()};
  params_.routing.add(context.node.stage.element.get(),
                      {inputs, context.sides.data(), 0, context.rows, &context.team},
                      {ends_ + first_key * leaves_.size() + leaf * keys, keys, left_rows_ + begin,
                       right_rows_ + begin},
                      states);
}

}  // namespace pappus::cpu_ops

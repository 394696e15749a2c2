// Builds what a join looks keys up in.
//
// The keys of the build side are extracted by the typed loop. Often they turn out to be b, b + 1,
// b + 2, ...: tables of a dense group_by or an enumerate have such keys. Then the key tells the row
// and nothing is built; this depends on the data alone, so it can't differ from run to run.
// Otherwise a join_table is built.
//
// In a loop the index of an iteration is kept for the next, which compares the keys: most loops
// change what a page, say, has, and not which pages there are. Texts may have moved; their index
// is built anew.
//
// Rows that come in windows, because memory has no room for them, are left to asked_join.h.
//
// Not here: texts (text_index.h), probing (join_probe.cpp), partitioning and buckets
// (algorithms/join_table.h).
#include "algorithms/join_index.h"

#include <atomic>
#include <cstring>
#include <limits>

#include <fmt/format.h>

#include "algorithms/rows_in.h"
#include "algorithms/stretches.h"
#include "cpu_ops/asked_join.h"
#include "cpu_ops/contract.h"
#include "cpu_ops/kept.h"
#include "cpu_ops/shared_rows.h"
#include "cpu_ops/text_index.h"
#include "ops/implementations.h"
#include "pappus/detail/base/integers.h"
#include "pappus/error.h"

namespace pappus::cpu_ops {
namespace {

using detail::join_build_params;

struct build_state {
  std::shared_ptr<join_index> index;
  detail::buffer keys;
  std::shared_ptr<asked_join> asked;  ///< in the index's place, where rows come in windows
};

/// What a loop keeps for the next iteration: an index, and the keys that it was made of, unless
/// they are consecutive.
struct kept_index {
  std::shared_ptr<join_index> index;
  detail::buffer keys;
};

detail::buffer keys_of_rows(run_context& context) {
  const auto& params = context.node.as<join_build_params>();
  const std::size_t size = params.keys.bytes;
  detail::buffer keys(context.memory, static_cast<std::size_t>(context.rows) * size, context.owner);
  const auto extract = [&](std::int64_t begin, std::int64_t end) {
    detail::out_rows out{.cursor = keys.data() + static_cast<std::size_t>(begin) * size};
    return for_each_fast_block(context, begin, end, true, [&](const detail::block_args& args) {
      params.loop(context.node.stage.element.get(), args, out);
    });
  };
  for_each_item(context.team, static_cast<std::size_t>(context.rows), rows_an_item(),
                [&](std::uint64_t begin, std::uint64_t end) {
                  spread_rows(context, static_cast<std::int64_t>(begin),
                              static_cast<std::int64_t>(end), extract);
                });
  return keys;
}

/// Whether keys[i] == keys[0] + i for all i.
template <typename Key>
bool are_consecutive(detail::workers& team, const Key* keys, std::uint64_t n) {
  if (n == 0 || n - 1 > std::numeric_limits<Key>::max() - keys[0]) return false;
  std::atomic<bool> holds{true};
  for_each_item(team, n, rows_an_item(), [&](std::uint64_t begin, std::uint64_t end) {
    if (!holds.load(std::memory_order_relaxed)) return;
    Key differences = 0;
    for (std::uint64_t i = begin; i < end; ++i)
      differences |= keys[i] ^ static_cast<Key>(keys[0] + i);
    if (differences != 0) holds.store(false, std::memory_order_relaxed);
  });
  return holds;
}

/// Throws usage_error for the first key outside the domain, if there is one.
template <typename Key>
void check_domain(run_context& context, const Key* keys, std::uint64_t n) {
  const auto& params = context.node.as<join_build_params>();
  if (params.domain_rows < 0) return;
  const auto base = static_cast<Key>(params.domain_base.lo);
  const auto size = static_cast<std::uint64_t>(params.domain_rows);
  for_each_item(context.team, n, rows_an_item(), [&](std::uint64_t begin, std::uint64_t end) {
    for (std::uint64_t i = begin; i < end; ++i) {
      const bool below = keys[i] < base;
      if (!below && keys[i] - base < size) continue;
      throw usage_error(fmt::format(
          "join: row {} of the {} side has the key {}{}, expected keys in the domain 0 to {}; "
          "widen the domain or join without one",
          context.first_row + static_cast<std::int64_t>(i), params.side, below ? "-" : "",
          below ? base - keys[i] : keys[i] - base, params.domain_rows - 1));
    }
  });
}

void build_from_bits(run_context& context, build_state& state) {
  const auto& params = context.node.as<join_build_params>();
  auto& index = *state.index;
  join_domain domain;
  with_key_type(params.keys.bytes, [&](auto key) {
    using key_type = decltype(key);
    if constexpr (!std::is_same_v<key_type, bits128>) {
      const auto* keys = state.keys.as<key_type>();
      check_domain(context, keys, index.rows);
      index.consecutive = are_consecutive(context.team, keys, index.rows);
      if (index.consecutive) index.base = keys[0];
    }
  });
  // An array over a domain far larger than the rows would be slower than a table, and may not fit.
  if (params.domain_rows > 0 &&
      static_cast<std::uint64_t>(params.domain_rows) <= 8 * index.rows + 1024)
    domain = {params.domain_base, static_cast<std::uint64_t>(params.domain_rows)};
  if (!index.consecutive)
    index.table.emplace(context.team, context.memory, state.keys.data(), index.rows,
                        params.keys.bytes, domain, context.owner);
}

bool are_equal(detail::workers& team, const detail::buffer& a, const detail::buffer& b) {
  if (a.size() != b.size()) return false;
  std::atomic<bool> equal{true};
  for_each_item(team, a.size(), rows_an_item(), [&](std::uint64_t begin, std::uint64_t end) {
    if (equal.load(std::memory_order_relaxed) &&
        std::memcmp(a.data() + begin, b.data() + begin, end - begin) != 0)
      equal.store(false, std::memory_order_relaxed);
  });
  return equal;
}

/// Whether an index is one of the rows' keys.
bool is_of(run_context& context, const kept_index& kept, const build_state& state) {
  if (kept.index->rows != state.index->rows) return false;
  if (!kept.index->consecutive) return are_equal(context.team, kept.keys, state.keys);
  return with_key_type(state.index->keys.bytes, [&](auto key) {
    if constexpr (std::is_same_v<decltype(key), bits128>) {
      return false;
    } else {
      const auto* keys = state.keys.as<decltype(key)>();
      return keys[0] == kept.index->base && are_consecutive(context.team, keys, kept.index->rows);
    }
  });
}

/// Builds the index, or takes the one that an earlier iteration made of the same keys.
void build_or_keep(run_context& context, build_state& state) {
  kept_value<kept_index> kept(*context.kept);
  if (const auto before = kept.get()) {
    if (is_of(context, *before, state)) {
      kept.used_again();
      state.index = before->index;
      return;
    }
    kept.drop();
  }
  build_from_bits(context, state);
  if (kept.given_up()) return;
  auto fresh = std::make_shared<kept_index>();
  fresh->index = state.index;
  std::size_t bytes = 0;
  if (!state.index->consecutive) {
    fresh->keys = std::move(state.keys);
    const auto table = state.index->table->as_it_lies();
    bytes = fresh->keys.size() + table.index.size() + table.rows.size();
  }
  kept.keep(std::move(fresh), bytes);
}

/// Where memory has no room for all right rows, they come in windows.
void take_window(run_context& context, asked_join& to) {
  const auto keys = keys_of_rows(context);
  stop_if_cancelled(context.team);
  with_key_type(context.node.as<join_build_params>().keys.bytes, [&](auto key) {
    if constexpr (!std::is_same_v<decltype(key), bits128>)
      check_domain(context, keys.as<decltype(key)>(), static_cast<std::uint64_t>(context.rows));
  });
  to.take_right(context, keys.data());
}

void extract_keys(run_context& context) {
  if (context.state == nullptr) context.state = std::make_shared<build_state>();
  auto& state = *static_cast<build_state*>(context.state.get());
  if (context.in_windows) {
    if (state.asked == nullptr) state.asked = std::make_shared<asked_join>(context.node);
    return take_window(context, *state.asked);
  }
  state.index = std::make_shared<join_index>();
  state.index->keys = context.node.as<join_build_params>().keys;
  state.index->rows = static_cast<std::uint64_t>(context.rows);
  state.keys = keys_of_rows(context);
  if (!state.index->keys.strings) return;
  // Texts stay where they are: in rows, or their text, which a semi-join needs for nothing else.
  for (const auto& input : context.inputs) context.output->hold(input);
}

void build_index(run_context& context) {
  auto& state = *static_cast<build_state*>(context.state.get());
  detail::buffer row(context.memory, sizeof(detail::join_side), context.owner);
  if (state.asked != nullptr) {
    state.asked->end_right(context);
    ::new (row.data()) detail::join_side{state.asked.get()};
    append_buffer(*context.output, std::move(row), 1);
    return context.output->hold(std::move(state.asked));
  }
  if (state.index->rows > 0) {
    if (state.index->keys.strings)
      index_texts(context, std::move(state.keys), *state.index);
    else if (context.kept != nullptr)
      build_or_keep(context, state);
    else
      build_from_bits(context, state);
  }
  ::new (row.data()) detail::join_side{state.index.get()};
  append_buffer(*context.output, std::move(row), 1);
  context.output->hold(std::move(state.index));
}

constexpr phase build_phases[] = {
    {"extract keys", phase::kind::launch, phase::when::each_window, extract_keys},
    {"build table", phase::kind::launch, phase::when::at_end, build_index},
};

}  // namespace

const cpu_operator& join_build_on_cpu() {
  static constexpr cpu_operator made{build_phases};
  return made;
}

}  // namespace pappus::cpu_ops

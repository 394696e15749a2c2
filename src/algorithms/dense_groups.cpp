#include "algorithms/dense_groups.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "algorithms/key_bits.h"
#include "algorithms/rows_in.h"
#include "pappus/detail/base/integers.h"

namespace pappus::algorithms {
namespace {

constexpr std::size_t leaf_table_bytes_max = 512u << 10;  // half of a core's L2
constexpr std::int64_t piece_states = 2048;               // per work item

}  // namespace

std::size_t group_table_bytes(const detail::group_params& params) {
  return static_cast<std::size_t>(params.domain) * params.state_bytes;
}

bool group_has_leaf_tables(const detail::group_params& params) {
  return group_table_bytes(params) <= leaf_table_bytes_max;
}

std::int64_t group_leaf_rows(const detail::group_params& params) {
  const auto keys = static_cast<std::uint64_t>(params.domain);
  return std::max<std::int64_t>(32768, static_cast<std::int64_t>(std::bit_ceil(16 * keys)));
}

void fill_groups(const detail::group_params& params, std::byte* states, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i)
    std::memcpy(states + i * params.state_bytes, params.initial.get(), params.state_bytes);
}

dense_groups::dense_groups(const detail::group_params& params, detail::memory_source& memory,
                           std::string_view owner)
    : params_(params), memory_(memory), owner_(owner) {}

template <typename F>
void dense_groups::for_each_piece(detail::workers& team, F&& f) const {
  detail::parallel_chunks(
      team, static_cast<std::size_t>(detail::ceil_div(params_.domain, piece_states)),
      [&](std::size_t item, unsigned) {
        const std::int64_t first = static_cast<std::int64_t>(item) * piece_states;
        f(first, static_cast<std::size_t>(std::min(piece_states, params_.domain - first)));
      });
}

std::byte* dense_groups::fill(detail::workers& team) {
  levels_.emplace_back(memory_, group_table_bytes(params_), owner_);
  for_each_piece(
      team, [&](std::int64_t first, std::size_t n) { fill_groups(params_, state(0, first), n); });
  return levels_.front().data();
}

void dense_groups::take(detail::workers& team, const std::vector<step>& steps) {
  for (const auto& s : steps)
    if (static_cast<std::size_t>(s.to) == levels_.size())
      levels_.emplace_back(memory_, group_table_bytes(params_), owner_);
  for_each_piece(team, [&](std::int64_t first, std::size_t n) {
    const auto offset = static_cast<std::size_t>(first) * params_.state_bytes;
    for (const auto& s : steps) {
      const std::byte* from = s.leaf != nullptr ? s.leaf + offset : state(s.from, first);
      if (s.first)
        std::memcpy(state(s.to, first), from, n * params_.state_bytes);
      else
        params_.merge(state(s.to, first), from, n);
    }
  });
}

void dense_groups::add_leaves(detail::workers& team, std::int64_t first, const std::byte* tables,
                              std::size_t stride, std::int64_t n) {
  std::vector<step> steps;
  for (std::int64_t i = 0; i < n; ++i) {
    const std::byte* table = tables + static_cast<std::size_t>(i) * stride;
    leaves_.add(first + i, [&](int from, int to, bool copies) {
      steps.push_back({from == leaf_tree::leaf ? table : nullptr, from, to, copies});
    });
  }
  take(team, steps);
}

void dense_groups::write(detail::workers& team, detail::memory_source& memory,
                         detail::row_set& output, std::string_view owner) {
  std::vector<step> steps;
  int top = leaves_.finish(
      [&](int from, int to, bool copies) { steps.push_back({nullptr, from, to, copies}); });
  take(team, steps);
  if (levels_.empty()) fill(team);
  top = std::max(top, 0);
  const std::size_t size = output.layout().size;
  detail::buffer rows(memory, static_cast<std::size_t>(params_.domain) * size, owner);
  for_each_piece(team, [&](std::int64_t first, std::size_t n) {
    const std::byte* states[piece_states];
    std::uint64_t keys[piece_states];
    auto* narrow = reinterpret_cast<std::byte*>(keys);
    for (std::size_t i = 0; i < n; ++i) {
      const std::int64_t key = first + static_cast<std::int64_t>(i);
      states[i] = state(top, key);
      if (params_.key_bytes == 4)
        store(narrow + 4 * i, static_cast<std::uint32_t>(key));
      else
        store(narrow + 8 * i, static_cast<std::uint64_t>(key));
    }
    params_.emit(narrow, states, n, rows.data() + static_cast<std::size_t>(first) * size);
  });
  append_buffer(output, std::move(rows), params_.domain);
}

}  // namespace pappus::algorithms

#include "algorithms/dense_groups.h"

#include <algorithm>
#include <cstring>

#include "algorithms/group_leaves.h"
#include "algorithms/key_bits.h"
#include "algorithms/rows_in.h"
#include "base/memory_scale.h"
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
  return rows_of_group_leaf(static_cast<double>(params.domain), base::scaled<std::int64_t>(32768));
}

void fill_groups(const detail::group_params& params, std::byte* states, std::size_t n) {
  // As many at once as a first-level cache has room for beside them.
  constexpr std::size_t pattern_bytes = 4096;
  const std::size_t all = n * params.state_bytes;
  std::size_t filled = std::min(all, params.state_bytes);
  if (filled != 0) std::memcpy(states, params.initial.get(), filled);
  while (filled < all) {
    const std::size_t bytes =
        std::min(all - filled,
                 std::min(filled, std::max(pattern_bytes / params.state_bytes, std::size_t{1}) *
                                      params.state_bytes));
    std::memcpy(states + filled, states, bytes);
    filled += bytes;
  }
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

std::byte* dense_groups::table(detail::buffer& of) {
  if (of.data() == nullptr) of = detail::buffer(memory_, group_table_bytes(params_), owner_);
  return of.data();
}

std::byte* dense_groups::leaf() { return table(leaf_); }

void dense_groups::add_step(std::vector<step>& steps, const std::byte* leaf, int from, int to,
                            bool first) {
  if (static_cast<std::size_t>(to) == levels_.size()) levels_.emplace_back();
  auto& level = levels_[static_cast<std::size_t>(to)];
  if (leaf != nullptr) return steps.push_back({table(level), leaf, first});
  auto& below = from == leaf_tree::leaf ? leaf_ : levels_[static_cast<std::size_t>(from)];
  if (first)
    std::swap(level, below);
  else
    steps.push_back({table(level), below.data(), false});
}

std::vector<dense_groups::step> dense_groups::complete_leaf(std::int64_t number) {
  std::vector<step> steps;
  leaves_.add(number,
              [&](int from, int to, bool first) { add_step(steps, nullptr, from, to, first); });
  return steps;
}

void dense_groups::merge(const std::vector<step>& steps, std::int64_t first_key,
                         std::size_t n) const {
  const auto offset = static_cast<std::size_t>(first_key) * params_.state_bytes;
  for (const auto& s : steps)
    if (s.copies)
      std::memcpy(s.into + offset, s.from + offset, n * params_.state_bytes);
    else
      params_.merge.states(s.into + offset, s.from + offset, n);
}

void dense_groups::merge(detail::workers& team, const std::vector<step>& steps) const {
  if (steps.empty()) return;
  for_each_piece(team, [&](std::int64_t first, std::size_t n) { merge(steps, first, n); });
}

void dense_groups::add_leaves(detail::workers& team, std::int64_t first, const std::byte* tables,
                              std::size_t stride, std::int64_t n) {
  std::vector<step> steps;
  for (std::int64_t i = 0; i < n; ++i) {
    const std::byte* leaf = tables + static_cast<std::size_t>(i) * stride;
    leaves_.add(first + i, [&](int from, int to, bool copies) {
      add_step(steps, from == leaf_tree::leaf ? leaf : nullptr, from, to, copies);
    });
  }
  merge(team, steps);
}

double dense_groups::held_bytes() const {
  const auto held = [](const detail::buffer& table) { return table.data() != nullptr; };
  const auto tables = std::count_if(levels_.begin(), levels_.end(), held) + (held(leaf_) ? 1 : 0);
  return static_cast<double>(tables) * static_cast<double>(group_table_bytes(params_));
}

void dense_groups::write(detail::workers& team, detail::memory_source& memory,
                         detail::row_set& output, std::string_view owner) {
  std::vector<step> steps;
  const int top = leaves_.finish(
      [&](int from, int to, bool first) { add_step(steps, nullptr, from, to, first); });
  merge(team, steps);
  if (top == leaf_tree::leaf) {
    levels_.emplace(levels_.begin(), memory_, group_table_bytes(params_), owner_);
    for_each_piece(team, [&](std::int64_t key, std::size_t n) {
      fill_groups(params_,
                  levels_.front().data() + static_cast<std::size_t>(key) * params_.state_bytes, n);
    });
  }
  const std::byte* result = levels_[static_cast<std::size_t>(std::max(top, 0))].data();
  const std::size_t size = output.layout().size;
  detail::buffer rows(memory, static_cast<std::size_t>(params_.domain) * size, owner);
  for_each_piece(team, [&](std::int64_t first, std::size_t n) {
    const std::byte* states[piece_states];
    std::uint64_t keys[piece_states];
    auto* narrow = reinterpret_cast<std::byte*>(keys);
    for (std::size_t i = 0; i < n; ++i) {
      const std::int64_t key = first + static_cast<std::int64_t>(i);
      states[i] = result + static_cast<std::size_t>(key) * params_.state_bytes;
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

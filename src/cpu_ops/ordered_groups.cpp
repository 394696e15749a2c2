#include "cpu_ops/ordered_groups.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>
#include <vector>

#include "algorithms/key_bits.h"
#include "algorithms/rows_in.h"
#include "algorithms/stretches.h"
#include "cpu_ops/sort_rows.h"
#include "pappus/detail/base/integers.h"

namespace pappus::cpu_ops {
namespace {

using detail::sort_moves;

/// Keys of groups that lie as in slots of a table.
template <typename Key>
void write_keys(const void*, const std::byte* const* groups, std::int64_t n, std::byte* keys) {
  for (std::int64_t i = 0; i < n; ++i)
    std::memcpy(keys + static_cast<std::size_t>(i) * sizeof(Key), groups[i], sizeof(Key));
}

std::unique_ptr<const graph::node> sort_of_groups(const run_context& context,
                                                  const group_params& params) {
  auto made = std::make_unique<graph::node>(std::make_shared<graph::node_table>());
  made->name = context.node.name;
  made->out = {detail::group_slot_bytes(params.key_bytes, params.state_bytes, params.state_align),
               64, "group"};
  auto sort = std::make_shared<detail::sort_params>();
  const std::size_t size = made->out.size;
  const bool small = size == 4 || size == 8 || size == 16;
  sort->moves = small ? sort_moves::records : sort_moves::addresses;
  sort->payload_bytes = small ? size : sizeof(const std::byte*);
  const auto keys = with_key_type(
      params.key_bytes, [](auto type) -> detail::rekey_loop { return write_keys<decltype(type)>; });
  sort->passes.push_back({params.key_bytes, false, keys});
  made->params = std::move(sort);
  return made;
}

}  // namespace

ordered_groups::ordered_groups(const run_context& context, const group_params& params,
                               std::size_t bytes)
    : params_(params),
      node_(sort_of_groups(context, params)),
      owners_(std::make_shared<detail::row_set>(node_->out)) {
  // A run, what sorting it takes, and the records that are made of a range.
  const auto& sort = node_->as<detail::sort_params>();
  const std::size_t each =
      2 * (node_->out.size + params.key_bytes + sort.payload_bytes) + context.node.out.size;
  run_groups_ = std::max<std::int64_t>(static_cast<std::int64_t>(bytes / each), 1024);
}
ordered_groups::~ordered_groups() = default;

/// What sorting groups sees of the stage.
run_context ordered_groups::sorting(run_context& context) const {
  return {.node = *node_,
          .inputs = {},
          .sides = {},
          .team = context.team,
          .memory = context.memory,
          .output = owners_,
          .state = {},
          .evaluate = context.evaluate,
          .owner = context.owner,
          .note = {},
          .store = context.store};
}

void ordered_groups::close_run(run_context& context) {
  if (in_run_ == 0) return;
  auto as_sort = sorting(context);
  if (!runs_) runs_.emplace(as_sort, run_groups_);
  auto sorted = sort_records(as_sort, std::move(run_), in_run_);
  runs_->add(as_sort, std::move(sorted), std::exchange(in_run_, 0));
}

void ordered_groups::add(run_context& context, std::span<const group_table* const> tables) {
  owners_->keep_owners_of(*context.output);
  const std::size_t stride = node_->out.size;
  const auto copy = [&](const group_table& table, auto&& place) {
    table.for_each(
        [&](const std::byte* slot, const std::byte*) { std::memcpy(place(), slot, stride); });
  };
  const auto begin_run = [&] {
    if (run_.data() == nullptr)
      run_ = detail::buffer(context.memory, static_cast<std::size_t>(run_groups_) * stride,
                            context.owner);
  };
  std::vector<std::int64_t> begins;
  std::int64_t all = 0;
  for (const auto* table : tables) {
    begins.push_back(all);
    all += static_cast<std::int64_t>(table->size());
  }
  if (all == 0) return;
  if (in_run_ + all <= run_groups_) {
    begin_run();
    detail::parallel_chunks(context.team, tables.size(), [&](std::size_t item, unsigned) {
      std::byte* to = run_.data() + static_cast<std::size_t>(in_run_ + begins[item]) * stride;
      copy(*tables[item], [&] { return std::exchange(to, to + stride); });
    });
    in_run_ += all;
    return;
  }
  for (const auto* table : tables)
    copy(*table, [&] {
      if (in_run_ == run_groups_) close_run(context);
      begin_run();
      return run_.data() + static_cast<std::size_t>(in_run_++) * stride;
    });
  stop_if_cancelled(context.team);
}

bool ordered_groups::next(run_context& context, detail::row_set& to) {
  close_run(context);
  to.keep_owners_of(*owners_);
  if (!runs_) return false;
  auto as_sort = sorting(context);
  detail::row_set groups(node_->out);
  if (!runs_->next(as_sort, groups)) return false;
  for (const auto& chunk : groups.chunks()) emit(context, chunk.data, chunk.rows, to);
  return true;
}

/// Makes records of groups.
void ordered_groups::emit(run_context& context, const std::byte* groups, std::int64_t n,
                          detail::row_set& to) const {
  const std::size_t size = context.node.out.size, stride = node_->out.size,
                    key_bytes = params_.key_bytes,
                    offset = detail::group_state_offset(key_bytes, params_.state_align);
  detail::buffer records(context.memory, static_cast<std::size_t>(n) * size, context.owner);
  constexpr std::int64_t piece = 512;
  detail::parallel_chunks(
      context.team, static_cast<std::size_t>(detail::ceil_div(n, piece)),
      [&](std::size_t item, unsigned) {
        alignas(64) std::array<std::byte, piece * 16> keys;
        std::array<const std::byte*, piece> states;
        const auto begin = static_cast<std::int64_t>(item) * piece,
                   end = std::min(begin + piece, n);
        for (std::int64_t i = begin; i < end; ++i) {
          const std::byte* const group = groups + static_cast<std::size_t>(i) * stride;
          const auto k = static_cast<std::size_t>(i - begin);
          std::memcpy(keys.data() + k * key_bytes, group, key_bytes);
          states[k] = group + offset;
        }
        params_.emit(keys.data(), states.data(), static_cast<std::size_t>(end - begin),
                     records.data() + static_cast<std::size_t>(begin) * size);
      });
  stop_if_cancelled(context.team);
  append_buffer(to, std::move(records), n);
}

}  // namespace pappus::cpu_ops

#include "cpu_ops/ordered_groups.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>
#include <vector>

#include "algorithms/rows_in.h"
#include "algorithms/stretches.h"
#include "cpu_ops/sort_rows.h"
#include "pappus/detail/base/integers.h"

namespace pappus::cpu_ops {
ordered_groups::ordered_groups(const run_context& context, const group_params& params,
                               std::size_t bytes)
    : params_(params),
      sort_(context, params.key_bytes,
            {detail::group_slot_bytes(params.key_bytes, params.state_bytes, params.state_align), 1,
             "group"}) {
  // A run, what sorting it takes, and the records that are made of a range.
  const std::size_t each = sort_.sorting_bytes() + context.node.out.size;
  run_groups_ = std::max<std::int64_t>(static_cast<std::int64_t>(bytes / each), 1024);
}
ordered_groups::~ordered_groups() = default;

void ordered_groups::close_run(run_context& context) {
  if (in_run_ == 0) return;
  auto as_sort = sort_.context_of(context);
  if (!runs_) runs_.emplace(as_sort, run_groups_);
  auto sorted = sort_records(as_sort, std::move(run_), in_run_);
  runs_->add(as_sort, std::move(sorted), std::exchange(in_run_, 0));
}

void ordered_groups::add(run_context& context, std::span<const group_table* const> tables) {
  sort_.owners().keep_owners_of(*context.output);
  const std::size_t stride = sort_.record().size;
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
  to.keep_owners_of(sort_.owners());
  if (!runs_) return false;
  auto as_sort = sort_.context_of(context);
  detail::row_set groups(sort_.record());
  if (!runs_->next(as_sort, groups)) return false;
  for (const auto& chunk : groups.chunks()) emit(context, chunk.data, chunk.rows, to);
  return true;
}

/// Makes records of groups.
void ordered_groups::emit(run_context& context, const std::byte* groups, std::int64_t n,
                          detail::row_set& to) const {
  const std::size_t size = context.node.out.size, stride = sort_.record().size,
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

#include "cpu_ops/merged_groups.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "algorithms/stretches.h"
#include "base/owned.h"
#include "pappus/detail/base/integers.h"

namespace pappus::cpu_ops {

merged_groups::merged_groups(run_context& context, const group_params& params, coded_texts& names,
                             std::span<const std::unique_ptr<group_table>> tables,
                             late_groups& late, std::size_t bytes)
    : params_(params),
      late_(late),
      early_(context, names, tables),
      most_(std::max<std::size_t>(
          bytes / (context.node.out.size + sizeof(std::string_view) + sizeof(std::byte*)), 64)),
      names_(base::owned(early_.take_text(names), context.memory_owner)) {}

bool merged_groups::next(run_context& context) {
  if (late_done_ == now_.n && more_) {
    more_ = late_.next(context, now_);
    late_done_ = 0;
    text_ = base::owned(std::move(now_.text), context.memory_owner);
  }
  const std::size_t n = std::min(now_.n - late_done_ + early_.size() - early_done_, most_),
                    stride = detail::round_up(params_.state_bytes, params_.state_align);
  if (n == 0) return false;
  detail::buffer keys(context.memory, n * sizeof(std::string_view), context.owner),
      states(context.memory, n * sizeof(std::byte*), context.owner);
  const auto* const early = early_.keys();
  const auto* const late = now_.keys.as<const std::string_view>();
  std::size_t made = 0;
  for (; made < n && (late_done_ < now_.n || !more_); ++made) {
    const bool from_early = early_done_ < early_.size() &&
                            (late_done_ == now_.n || early[early_done_] < late[late_done_]);
    keys.as<std::string_view>()[made] = from_early ? early[early_done_] : late[late_done_];
    states.as<const std::byte*>()[made] =
        from_early ? early_.states()[early_done_++] : now_.states.data() + late_done_++ * stride;
  }
  stop_if_cancelled(context.team);
  context.output->keep(names_);
  context.output->keep(text_);
  emit_groups(context, params_, keys.data(), states.as<const std::byte*>(), made);
  return true;
}

}  // namespace pappus::cpu_ops

#include "cpu_ops/whole_groups.h"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <mutex>
#include <utility>

#include <fmt/format.h>

#include "algorithms/key_bits.h"
#include "algorithms/rows_in.h"
#include "algorithms/stretches.h"
#include "base/memory_scale.h"
#include "base/owned.h"
#include "base/text.h"
#include "base/text_arena.h"
#include "cpu_ops/group.h"
#include "cpu_ops/sort_rows.h"

namespace pappus::cpu_ops {
namespace {

/// f(key bytes, record bytes), of which the usual ones are known to the compiler.
template <typename F>
void with_sizes(const map_groups_params& params, F&& f) {
  with_key_type(params.key_bytes, [&](auto type) {
    constexpr std::integral_constant<std::size_t, sizeof type> key;
    if (params.payload_bytes == 8) return f(key, std::integral_constant<std::size_t, 8>());
    if (params.payload_bytes == 16) return f(key, std::integral_constant<std::size_t, 16>());
    f(key, params.payload_bytes);
  });
}

std::string_view text_of(const std::byte* key) {
  std::string_view text;
  std::memcpy(&text, key, sizeof text);
  return text;
}
void put_text(std::byte* key, std::string_view text) { std::memcpy(key, &text, sizeof text); }

}  // namespace

void find_starts(const run_context& context, std::size_t key_bytes, bool strings, std::size_t n,
                 group_rows& of) {
  std::vector<std::size_t> before(detail::ceil_div(n, rows_an_item()) + 1, 0);
  with_key_type(key_bytes, [&](auto type) {
    constexpr std::size_t size = sizeof type;
    const auto begins = [&](std::size_t row) {
      const std::byte* key = of.keys + row * size;
      if (row == 0 || std::memcmp(key, key - size, size) == 0) return row == 0;
      return !strings || text_of(key) != text_of(key - size);
    };
    for_each_item(context.team, n, rows_an_item(), [&](std::size_t first, std::size_t last) {
      std::size_t count = 0;
      for (std::size_t row = first; row < last; ++row) count += begins(row) ? 1 : 0;
      before[first / rows_an_item() + 1] = count;
    });
    for (std::size_t i = 1; i < before.size(); ++i) before[i] += before[i - 1];
    of.groups = before.back();
    of.start_memory =
        detail::buffer(context.memory, (of.groups + 1) * sizeof(std::size_t), context.owner);
    auto* const starts = of.start_memory.as<std::size_t>();
    for_each_item(context.team, n, rows_an_item(), [&](std::size_t first, std::size_t last) {
      std::size_t* to = starts + before[first / rows_an_item()];
      for (std::size_t row = first; row < last; ++row)
        if (begins(row)) *to++ = row;
    });
    starts[of.groups] = n;
    of.starts = starts;
  });
}

whole_groups::whole_groups(const run_context& context, std::int64_t run_rows)
    : params_(context.node.as<map_groups_params>()),
      text_goes_(params_.strings && !key_text_stays(context, params_)),
      value_at_(params_.strings ? late_value_at(params_) : params_.key_bytes),
      sort_(context, params_.strings ? 0 : params_.key_bytes,
            params_.strings
                ? params_.late
                : detail::record_type{params_.key_bytes + params_.payload_bytes, 1, "record"}) {
  // Beside a range there is the next one, a group of any size, and what is made of groups.
  const auto fitting = context.store->available() / 2 / sort_.sorting_bytes();
  runs_.emplace(sort_.context_of(context), std::min(run_rows, static_cast<std::int64_t>(fitting)),
                text_goes_);
}

run_context whole_groups::as_sort(const run_context& context) const {
  auto made = sort_.context_of(context);
  made.last_window = !text_goes_;  // runs have copies
  return made;
}

bool whole_groups::same_key(const std::byte* a, const std::byte* b) const {
  if (params_.strings) return text_of(a) == text_of(b);
  return std::memcmp(a, b, params_.key_bytes) == 0;
}

void whole_groups::add(run_context& context, std::int64_t begin, std::int64_t end) {
  sort_.owners().keep_owners_of(*context.output);
  auto sort = as_sort(context);
  runs_->expect_more(sort);
  std::vector<detail::buffer> text;
  auto records = records_with_keys(context, begin, end, text);
  records = sort_records(sort, std::move(records), end - begin);
  runs_->add(sort, std::move(records), end - begin);
}

/// What is sorted: each row's key and its record behind it.
/// \param text  gets that of keys which lay in records that were computed on the way.
detail::buffer whole_groups::records_with_keys(const run_context& context, std::int64_t begin,
                                               std::int64_t end,
                                               std::vector<detail::buffer>& text) const {
  const std::size_t stride = sort_.record().size;
  const auto n = static_cast<std::size_t>(end - begin);
  detail::buffer made(context.memory, n * stride, context.owner);
  std::mutex guards_text;
  const auto extract = [&](std::int64_t first, std::int64_t last) {
    group_feeder feeder(context, params_, {});
    base::text_arena copies(64, base::scaled(std::size_t{32} << 10));
    const auto keep_text = [&](std::byte* key) {
      if (const auto view = text_of(key); feeder.goes(view))
        put_text(key, copies.copy(view, context.memory, context.owner));
    };
    std::byte* to = made.data() + static_cast<std::size_t>(first - begin) * stride;
    const auto take = [&](const std::byte* keys, const std::byte* records, std::size_t count) {
      with_sizes(params_, [&](auto key_bytes, auto record_bytes) {
        for (std::size_t i = 0; i < count; ++i, to += stride) {
          std::memcpy(to, keys + i * key_bytes, key_bytes);
          if (params_.keys_in_records) keep_text(to);
          if (value_at_ > key_bytes) std::memset(to + key_bytes, 0, value_at_ - key_bytes);
          std::memcpy(to + value_at_, records + i * record_bytes, record_bytes);
        }
      });
    };
    const auto rest = feeder.feed(first, last, true, take);
    const std::lock_guard hold(guards_text);
    std::ranges::move(copies.take(), std::back_inserter(text));
    return rest;
  };
  for_each_item(context.team, n, rows_an_item(), [&](std::size_t first, std::size_t last) {
    spread_rows(context, begin + static_cast<std::int64_t>(first),
                begin + static_cast<std::int64_t>(last), extract);
  });
  return made;
}

/// Keys and records of a range, each side by side.
group_rows whole_groups::taken_apart(const run_context& context,
                                     const detail::row_set& range) const {
  const auto n = static_cast<std::size_t>(range.rows());
  const std::size_t stride = sort_.record().size;
  group_rows made;
  made.key_memory = detail::buffer(context.memory, n * params_.key_bytes, context.owner);
  made.record_memory = detail::buffer(context.memory, n * params_.payload_bytes, context.owner);
  made.keys = made.key_memory.data();
  made.records = made.record_memory.data();
  if (params_.strings) made.owners = range.owners();
  for_each_item(context.team, n, rows_an_item(), [&](std::size_t first, std::size_t last) {
    with_sizes(params_, [&](auto key_bytes, auto record_bytes) {
      const std::byte* from = range.data() + first * stride;
      for (std::size_t i = first; i < last; ++i, from += stride) {
        std::memcpy(made.key_memory.data() + i * key_bytes, from, key_bytes);
        std::memcpy(made.record_memory.data() + i * record_bytes, from + value_at_, record_bytes);
      }
    });
  });
  return made;
}

group_rows whole_groups::next(run_context& context) {
  auto groups = after_ ? *std::exchange(after_, std::nullopt) : next_complete(context);
  found_ += static_cast<std::int64_t>(groups.groups);
  return groups;
}

group_rows whole_groups::next_complete(run_context& context) {
  for (group_rows range; read_range(context, range);) {
    const bool goes_on = open_.rows > 0 && same_key(open_.key.data(), range.keys);
    if (goes_on) {
      keep_back(context, range, 0);
      if (range.groups == 1) continue;
      ++range.starts;
      --range.groups;
    }
    const auto complete = std::exchange(open_, {});
    keep_back(context, range, range.groups - 1);
    --range.groups;
    if (complete.rows > 0) {
      auto group = put_together(context, complete);
      if (range.groups > 0) after_ = std::move(range);
      return group;
    }
    if (range.groups > 0) return range;
  }
  return open_.rows > 0 ? put_together(context, std::exchange(open_, {})) : group_rows();
}

/// The next range of keys; false: there is none.
bool whole_groups::read_range(run_context& context, group_rows& to) {
  to = {};
  detail::row_set range(sort_.record());
  auto sort = as_sort(context);
  if (!runs_->next(sort, range)) return false;
  to = taken_apart(context, range);
  range.take_buffers().clear();
  find_starts(context, params_.key_bytes, params_.strings, static_cast<std::size_t>(range.rows()),
              to);
  stop_if_cancelled(context.team);
  return true;
}

/// Keeps the rows of a group, the first or last of a range, until it is known to have all.
void whole_groups::keep_back(const run_context& context, group_rows& from, std::size_t group) {
  const std::size_t first = from.starts[group], n = from.starts[group + 1] - first,
                    size = params_.payload_bytes;
  const std::byte* const key = from.keys + first * params_.key_bytes;
  if (!params_.strings) {
    std::memcpy(open_.key.data(), key, params_.key_bytes);
  } else if (open_.rows == 0) {
    open_.text = std::make_shared<const std::string>(text_of(key));
    const std::string_view own = *open_.text;
    std::memcpy(open_.key.data(), &own, sizeof own);
  }
  open_.rows += static_cast<std::int64_t>(n);
  detail::buffer records;
  if (n * size == from.record_memory.size()) {
    records = std::move(from.record_memory);
  } else {
    records = detail::buffer(context.memory, n * size, context.owner);
    for_each_item(
        context.team, n * size, std::size_t{1} << 20, [&](std::size_t begin, std::size_t end) {
          std::memcpy(records.data() + begin, from.records + first * size + begin, end - begin);
        });
  }
  const bool has_text = text_goes_ && params_.value.text == detail::text_in::views;
  auto set = std::make_shared<detail::row_set>(has_text ? params_.value
                                                        : detail::record_type{size, 1, "record"});
  if (!has_text) set->keep_owners_of(sort_.owners());
  append_buffer(*set, std::move(records), static_cast<std::int64_t>(n));
  open_.parts.push_back(has_text ? context.store->keep_with_text(set, context.team, context.owner)
                                 : context.store->keep(std::move(set)));
}

group_rows whole_groups::put_together(const run_context& context, const open_group& group) {
  parts_max_ = std::max(parts_max_, group.parts.size());
  group_rows made;
  made.groups = 1;
  made.key_memory = detail::buffer(context.memory, group.key.size(), context.owner);
  std::memcpy(made.key_memory.data(), group.key.data(), group.key.size());
  made.keys = made.key_memory.data();
  made.start_memory = detail::buffer(context.memory, 2 * sizeof(std::size_t), context.owner);
  auto* const starts = made.start_memory.as<std::size_t>();
  starts[0] = 0;
  starts[1] = static_cast<std::size_t>(group.rows);
  made.starts = starts;
  if (group.text) made.owners.push_back(group.text);
  if (group.parts.size() == 1 && !params_.reorders) {
    if (const auto there = group.parts.front()->in_memory()) {
      made.records = const_cast<std::byte*>(there->data());  // which nobody changes
      made.owners.push_back(there);
      return made;
    }
  }
  try {
    put_side_by_side(context, group, made);
  } catch (const memory_error&) {
    refuse(context, group);
  }
  return made;
}

/// Brings the records of a group's parts, and their texts, into one piece of memory each.
void whole_groups::put_side_by_side(const run_context& context, const open_group& group,
                                    group_rows& made) const {
  const std::size_t size = params_.payload_bytes;
  made.record_memory =
      detail::buffer(context.memory, static_cast<std::size_t>(group.rows) * size, context.owner);
  made.records = made.record_memory.data();
  std::vector<graph::row_store::copy> copies;
  std::byte* to = made.record_memory.data();
  for (const auto& part : group.parts) {
    copies.push_back({part, 0, part->rows(), to});
    to += static_cast<std::size_t>(part->rows()) * size;
  }
  auto text = room_for_text(copies, context.memory, context.owner);
  if (text.data() != nullptr)
    made.owners.push_back(base::owned(std::move(text), context.memory_owner));
  context.store->read(copies, context.team, context.owner);
}

void whole_groups::refuse(const run_context& context, const open_group& group) const {
  const auto key = params_.key_text(group.key.data());
  std::size_t bytes = static_cast<std::size_t>(group.rows) * params_.payload_bytes;
  for (const auto& part : group.parts) bytes += part->text_bytes(0, part->rows());
  throw memory_error(fmt::format(
      "{}: {} has {} records, which are {} side by side, and memory has no room for them; reduce "
      "the groups by a reducer instead of map_groups, or raise the limit (PAPPUS_HOST_MEMORY or "
      "options::host_memory)",
      context.owner,
      key.empty() ? fmt::format("group {} in the order of keys", base::count_text(found_ + 1))
                  : "the group of key " + key,
      base::count_text(group.rows), base::bytes_text(static_cast<double>(bytes))));
}

std::string whole_groups::about() const {
  auto text = runs_->about();
  if (!text.empty() && parts_max_ > 1)
    text += fmt::format("; a group was in {} of these", parts_max_);
  return text;
}

}  // namespace pappus::cpu_ops

#include "cpu_ops/rested_groups.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "algorithms/alignment.h"
#include "algorithms/key_bits.h"
#include "algorithms/rows_in.h"
#include "algorithms/stretches.h"
#include "base/memory_scale.h"

namespace pappus::cpu_ops {
namespace {

constexpr std::size_t in_line_bytes_max = 1u << 20;  // larger tables need prefetching
constexpr detail::record_type one_byte{1, 1, "groups at rest"};

std::size_t state_offset(const group_params& params) {
  return detail::group_state_offset(bits_bytes(params), params.state_align);
}

/// Of bits of the hash that neither partitions nor tables use so.
template <typename Key>
std::size_t part_of(const Key& key, std::size_t count) {
  if (count == 1) return 0;
  std::uint64_t mixed = detail::spread_hash::product(key);
  mixed ^= mixed >> 32;
  mixed *= 0xd6e8feb86659fd93u;
  return static_cast<std::size_t>(mixed >> (64 - std::countr_zero(count)));
}

/// Bytes from the first of n keys to the first of their values.
std::size_t values_at(const group_params& params, std::size_t n) {
  return round_up(n * bits_bytes(params),
                  alignment_for(std::max<std::size_t>(params.payload_bytes, 1)));
}
/// Of n keys and values.
std::size_t bytes_of_rows(const group_params& params, std::size_t n) {
  return round_up(values_at(params, n) + n * params.payload_bytes, 64);
}

std::size_t rows_of(const block_partition& store, std::size_t partition,
                    const group_ranges::part& part) {
  std::size_t n = 0;
  store.for_each(static_cast<unsigned>(partition), part.first, part.last,
                 [&](const block_partition::rows& rows) { n += rows.n; });
  return n;
}

/// Copies the part's rows behind the first `skip`: keys to one place, values to another.
void copy_rows(const group_params& params, const block_partition& store, std::size_t partition,
               const group_ranges::part& part, std::size_t skip, std::byte* keys,
               std::byte* values) {
  const std::size_t key_bytes = bits_bytes(params);
  store.for_each(static_cast<unsigned>(partition), part.first, part.last,
                 [&](const block_partition::rows& rows) {
                   const std::size_t left_out = std::min(skip, rows.n), n = rows.n - left_out;
                   skip -= left_out;
                   if (n == 0) return;
                   std::memcpy(keys, rows.keys + left_out * key_bytes, n * key_bytes);
                   keys += n * key_bytes;
                   if (params.payload_bytes == 0) return;
                   std::memcpy(values, rows.payload + left_out * params.payload_bytes,
                               n * params.payload_bytes);
                   values += n * params.payload_bytes;
                 });
}

}  // namespace

void add_rows(const group_params& params, group_table& table, const std::byte* keys,
              const std::byte* values, std::size_t n) {
  if (table.bytes() <= in_line_bytes_max) {
    auto slots = table.slots();
    params.add_to_hash(keys, values, n, slots);
    return;
  }
  constexpr std::size_t batch = group_table::batch_max;
  std::byte* states[batch];
  const std::size_t key_bytes = bits_bytes(params);
  for (std::size_t at = 0; at < n; at += batch) {
    const std::size_t rows = std::min(batch, n - at);
    table.find_or_insert(keys + at * key_bytes, rows, states);
    params.accumulate(values + at * params.payload_bytes, states, rows);
  }
}

std::size_t fold_rows(const group_params& params, group_table& table, const std::byte* keys,
                      const std::byte* values, std::size_t n, table_share& share) {
  if (share.limit == table_share::unlimited) {
    add_rows(params, table, keys, values, n);
    return n;
  }
  constexpr std::size_t batch = group_table::batch_max;
  const std::size_t key_bytes = bits_bytes(params);
  for (std::size_t at = 0; at < n;) {
    const std::size_t before = table.bytes();
    std::size_t rows = std::min(n - at, std::max(table.room(), batch));
    if (table.room() < rows && !share.has(2 * before)) return at;
    add_rows(params, table, keys + at * key_bytes, values + at * params.payload_bytes, rows);
    if (table.bytes() != before) share.held += table.bytes() - before;
    at += rows;
  }
  return n;
}

rested_groups::rested_groups(const group_params& params, group_tables& tables)
    : params_(&params), tables_(&tables) {}

std::uint32_t rested_groups::keep(run_context& context, detail::buffer bytes) {
  auto set = std::make_shared<detail::row_set>(one_byte);
  const auto n = static_cast<std::int64_t>(bytes.size());
  append_buffer(*set, std::move(bytes), n);
  sets_.push_back(context.store->keep(std::move(set)));
  return static_cast<std::uint32_t>(sets_.size() - 1);
}

void rested_groups::take_tables(run_context& context, std::span<const std::size_t> partitions) {
  constexpr std::size_t least = std::size_t{256} << 10, most = std::size_t{16} << 20;
  const std::size_t at_once = base::scaled_clamp(context.store->available() / 8, least, most);
  events_.resize(std::max(events_.size(), tables_->partitions()));
  for (std::size_t begin = 0; begin < partitions.size();) {
    std::size_t end = begin, bytes = 0;
    for (; end < partitions.size(); ++end) {
      const std::size_t next = tables_->groups(partitions[end]) * slot_bytes(*params_);
      if (end > begin && bytes + next > at_once) break;
      bytes += next;
    }
    rest_some(context, partitions.subspan(begin, end - begin), bytes);
    begin = end;
  }
}

/// Has partitions rest, whose slots take so many bytes.
void rested_groups::rest_some(run_context& context, std::span<const std::size_t> partitions,
                              std::size_t bytes) {
  const std::size_t stride = slot_bytes(*params_);
  const auto number = static_cast<std::uint32_t>(sets_.size());
  std::vector<std::size_t> begins;
  std::size_t at = 0;
  for (const auto partition : partitions) {
    begins.push_back(at);
    auto& events = events_[partition];
    if (!std::exchange(events.rests, true)) resting_.push_back(partition);
    tables_->for_each_level(partition, [&](std::size_t level, const group_table& table) {
      if (table.size() == 0) return;
      events.list.push_back(
          {event::kind::slots, static_cast<std::uint16_t>(level), number, at, table.size()});
      at += table.size() * stride;
    });
  }
  detail::buffer memory(context.memory, bytes, context.owner);
  detail::parallel_chunks(context.team, partitions.size(), [&](std::size_t item, unsigned) {
    std::byte* to = memory.data() + begins[item];
    tables_->for_each_level(partitions[item], [&](std::size_t, const group_table& table) {
      table.for_each([&](const std::byte* slot, const std::byte*) {
        std::memcpy(to, slot, stride);
        to += stride;
      });
    });
    tables_->clear(partitions[item]);
  });
  stop_if_cancelled(context.team);
  if (bytes > 0) keep(context, std::move(memory));
}

void rested_groups::take_rows(run_context& context, const block_partition& store,
                              const group_ranges& ranges,
                              const std::vector<group_tables::steps>& ends,
                              std::span<const place> begin) {
  struct stretch {
    std::size_t partition, part, skip, n, at;
  };
  std::vector<stretch> all;
  const auto set = static_cast<std::uint32_t>(sets_.size());
  const auto first_steps = static_cast<std::uint32_t>(steps_.size());
  steps_.insert(steps_.end(), ends.begin(), ends.end());
  std::size_t bytes = 0;
  for (const auto partition : resting_) {
    auto& events = events_[partition].list;
    for (std::size_t i = begin[partition].part; i < ranges.parts.size(); ++i) {
      const std::size_t skip = i == begin[partition].part ? begin[partition].rows : 0;
      const std::size_t n = rows_of(store, partition, ranges.parts[i]) - skip;
      if (n > 0) {
        events.push_back({event::kind::rows, 0, set, bytes, n});
        all.push_back({partition, i, skip, n, bytes});
        bytes += bytes_of_rows(*params_, n);
      }
      if (!ends[i].empty())
        events.push_back({event::kind::steps, 0, first_steps + static_cast<std::uint32_t>(i)});
    }
  }
  if (bytes == 0) return;
  detail::buffer memory(context.memory, bytes, context.owner);
  detail::parallel_chunks(context.team, all.size(), [&](std::size_t item, unsigned) {
    const auto& one = all[item];
    std::byte* const to = memory.data() + one.at;
    copy_rows(*params_, store, one.partition, ranges.parts[one.part], one.skip, to,
              to + values_at(*params_, one.n));
  });
  stop_if_cancelled(context.team);
  keep(context, std::move(memory));
}

void rested_groups::take_steps(const group_tables::steps& all) {
  if (all.empty()) return;
  const auto number = static_cast<std::uint32_t>(steps_.size());
  steps_.push_back(all);
  for (const auto partition : resting_)
    events_[partition].list.push_back({event::kind::steps, 0, number});
}

/// Of the partitions' next slots and rows those that lie first in the sets, which are in the order
/// of their numbers. Steps before them go to the parts. Null: nothing is left.
rested_groups::cursor* rested_groups::next_in_sets(std::span<cursor> from, load& to) const {
  cursor* first = nullptr;
  const auto event_of = [this](const cursor& one) -> const event& {
    return events_[one.partition].list[one.event];
  };
  for (auto& one : from) {
    const auto& events = events_[one.partition].list;
    for (; one.event < events.size() && event_of(one).what == event::kind::steps; ++one.event)
      to.parts.push_back({one.partition, &event_of(one)});
    if (one.event == events.size()) continue;
    const auto place = [&](const cursor& of) {
      return std::pair(event_of(of).number, event_of(of).at);
    };
    if (first == nullptr || place(one) < place(*first)) first = &one;
  }
  return first;
}

/// Notes what follows of partitions, about so many bytes at most. Returns how many there are.
std::size_t rested_groups::choose(std::span<cursor> from, std::size_t bytes, load& to) const {
  const std::size_t key_bytes = bits_bytes(*params_), stride = slot_bytes(*params_);
  std::size_t used = 0;
  while (used < bytes) {
    auto* const one = next_in_sets(from, to);
    if (one == nullptr) break;
    const auto& next = events_[one->partition].list[one->event];
    const bool slots = next.what == event::kind::slots;
    const std::size_t row_bytes = slots ? stride : key_bytes + params_->payload_bytes;
    const std::size_t most = std::max<std::size_t>((bytes - used) / row_bytes, 1);
    const std::size_t n = std::min(next.n - one->row, most);
    used = round_up(used, alignment_for(std::max<std::size_t>(params_->payload_bytes, 1)));
    to.parts.push_back({one->partition, &next, one->row, n, used, used + values_at(*params_, n)});
    used += slots ? n * stride : bytes_of_rows(*params_, n);
    one->row += n;
    if (one->row == next.n) *one = {one->partition, one->event + 1, 0};
  }
  return used;
}

/// Begins to read what follows of partitions, about so many bytes at most.
rested_groups::load rested_groups::read(const run_context& context, std::span<cursor> from,
                                        std::size_t bytes) const {
  const std::size_t key_bytes = bits_bytes(*params_), stride = slot_bytes(*params_);
  load made;
  const std::size_t used = choose(from, bytes, made);
  if (used == 0) return made;
  made.memory = detail::buffer(context.memory, used, context.owner);
  std::vector<graph::row_store::copy> copies;
  const auto copy = [&](const event& of, std::size_t first, std::size_t n, std::size_t to) {
    if (n == 0) return;
    const auto begin = static_cast<std::int64_t>(of.at + first),
               count = static_cast<std::int64_t>(n);
    if (!copies.empty()) {  // behind the last one, here and there: one copy
      auto& last = copies.back();
      if (last.of == sets_[of.number] && last.first + last.rows == begin &&
          last.to + last.rows == made.memory.data() + to) {
        last.rows += count;
        return;
      }
    }
    copies.push_back({sets_[of.number], begin, count, made.memory.data() + to});
  };
  for (const auto& part : made.parts) {
    const auto& of = *part.of;
    if (of.what == event::kind::slots) {
      copy(of, part.first * stride, part.n * stride, part.keys);
    } else if (of.what == event::kind::rows && part.n == of.n) {
      copy(of, 0, bytes_of_rows(*params_, of.n), part.keys);
    } else if (of.what == event::kind::rows) {
      copy(of, part.first * key_bytes, part.n * key_bytes, part.keys);
      copy(of, values_at(*params_, of.n) + part.first * params_->payload_bytes,
           part.n * params_->payload_bytes, part.values);
    }
  }
  if (!copies.empty())
    made.there = context.store->read_beside(std::move(copies), context.team, context.owner);
  return made;
}

/// Brings partitions' keys back, event by event.
class rested_groups::waking {
 public:
  waking(const rested_groups& from, std::span<const std::size_t> partitions, key_part keys,
         std::size_t bytes)
      : params_(*from.params_),
        tables_(*from.tables_),
        steps_(from.steps_),
        partitions_(partitions),
        keys_(keys) {
    share_.limit = bytes;
  }

  /// False: the tables would get too large.
  bool take(const part_of_event& part, const std::byte* memory) {
    switch (part.of->what) {
      case event::kind::slots:
        return take_slots(part, memory + part.keys);
      case event::kind::rows:
        return take_rows(part, memory + part.keys, memory + part.values);
      case event::kind::steps:
        break;
    }
    return take_steps(part.partition, steps_[part.of->number]);
  }
  std::int64_t groups() const noexcept { return groups_; }

 private:
  void measure() {
    share_.held = 0;
    for (const auto partition : partitions_) share_.held += tables_.bytes(partition);
  }

  bool take_steps(std::size_t partition, const group_tables::steps& steps) {
    const auto& leaf = tables_.leaf(partition);
    const bool ends = std::ranges::any_of(
        steps, [](const group_tables::step& one) { return one.from == leaf_tree::leaf; });
    if (leaf != nullptr && ends) groups_ += static_cast<std::int64_t>(leaf->size());
    measure();
    if (!share_.has(2 * tables_.bytes(partition))) return false;
    tables_.take(partition, steps, group_tables::afterwards::moves);
    return true;
  }

  bool take_slots(const part_of_event& part, const std::byte* slots) {
    const std::size_t stride = slot_bytes(params_), key_bytes = bits_bytes(params_);
    constexpr std::size_t batch = group_table::batch_max;
    alignas(64) std::byte keys[batch * 16];
    const std::byte* found[batch];
    std::byte* states[batch];
    auto& table = tables_.filled(part.partition, part.of->level);
    measure();
    for (std::size_t i = 0; i < part.n;) {
      std::size_t n = 0;
      for (; i < part.n && n < batch; ++i) {
        const std::byte* const slot = slots + i * stride;
        if (!is_wanted(slot)) continue;
        std::memcpy(keys + n * key_bytes, slot, key_bytes);
        found[n++] = slot + state_offset(params_);
      }
      const std::size_t before = table.bytes();
      if (table.room() < n && !share_.has(2 * before)) return false;
      table.find_or_insert(keys, n, states);
      for (std::size_t k = 0; k < n; ++k) std::memcpy(states[k], found[k], params_.state_bytes);
      share_.held += table.bytes() - before;
    }
    return true;
  }

  bool take_rows(const part_of_event& part, const std::byte* keys, const std::byte* values) {
    auto& table = tables_.filled_leaf(part.partition);
    const std::size_t n = part.n;
    measure();
    if (keys_.count == 1) return fold_rows(params_, table, keys, values, n, share_) == n;
    const std::size_t key_bytes = bits_bytes(params_);
    for (std::size_t begin = 0; begin < n;) {  // runs of rows with wanted keys
      if (!is_wanted(keys + begin * key_bytes)) {
        ++begin;
        continue;
      }
      std::size_t end = begin + 1;
      while (end < n && is_wanted(keys + end * key_bytes)) ++end;
      if (fold_rows(params_, table, keys + begin * key_bytes,
                    values + begin * params_.payload_bytes, end - begin, share_) < end - begin)
        return false;
      begin = end;
    }
    return true;
  }

  bool is_wanted(const std::byte* key) const {
    bool wanted = false;
    with_key_type(bits_bytes(params_), [&](auto type) {
      wanted = part_of(algorithms::load<decltype(type)>(key), keys_.count) == keys_.number;
    });
    return wanted;
  }

  const group_params& params_;
  group_tables& tables_;
  const std::vector<group_tables::steps>& steps_;
  const std::span<const std::size_t> partitions_;
  const key_part keys_;
  table_share share_;
  std::int64_t groups_ = 0;
};

bool rested_groups::wake(const run_context& context, std::span<const std::size_t> partitions,
                         key_part keys, std::size_t bytes, std::int64_t& groups) {
  constexpr std::size_t least = std::size_t{128} << 10, most = std::size_t{4} << 20;
  const std::size_t read_bytes = base::scaled_clamp(bytes / 8, least, most);
  waking run(*this, partitions, keys, bytes);
  std::vector<cursor> at;
  for (const auto partition : partitions) at.push_back({partition});
  load now = read(context, at, read_bytes);
  while (!now.parts.empty()) {
    load next = read(context, at, read_bytes);
    if (now.there.valid()) now.there.get();
    for (const auto& part : now.parts) {
      if (context.team.stopping()) return true;
      if (run.take(part, now.memory.data())) continue;
      for (const auto partition : partitions) tables_->clear(partition);
      return false;
    }
    now = std::move(next);
  }
  groups += run.groups();
  return true;
}

}  // namespace pappus::cpu_ops

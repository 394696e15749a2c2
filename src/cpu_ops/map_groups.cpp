// Groups as ranges: a function called with each group's records side by side.
//
// Keys and records are extracted in row order, then sorted by key, stably, so that a group is a run
// of rows. Strings of rows that fit are numbered first and sorted by rank. A domain's keys without
// rows are groups of no records. Rows that don't fit come back group by group (whole_groups.h).
//
// Alternatives: partitioning by hash and sorting each partition (the result needs key order
// anyway); lists of row numbers (a gather for each group).
//
// Not here: a group must be in memory as a whole.
#include <cstring>
#include <optional>
#include <utility>
#include <vector>

#include "algorithms/radix.h"
#include "algorithms/rows_in.h"
#include "algorithms/stretches.h"
#include "base/memory_scale.h"
#include "base/owned.h"
#include "cpu_ops/group.h"
#include "cpu_ops/whole_groups.h"
#include "ops/implementations.h"
#include "ops/large_windows.h"
#include "pappus/detail/base/integers.h"

namespace pappus::cpu_ops {
namespace {

/// Records side by side.
struct record_run {
  const std::byte* data;
  std::int64_t records;
};

/// Where one worker puts what functions return of groups, of which nobody knows how many records.
class group_slabs : public detail::apply_output {
 public:
  /// What comes next goes to `runs`.
  void begin(const run_context& context, std::vector<record_run>& runs) {
    context_ = &context;
    runs_ = &runs;
    room = [](detail::apply_output& self, std::int64_t records) {
      return static_cast<group_slabs&>(self).take(records);
    };
  }
  void move_to(detail::row_set& to) {
    for (auto& slab : slabs_) to.own(std::move(slab));
  }

 private:
  std::byte* take(std::int64_t records) {
    const std::size_t size = context_->node.out.size;
    const auto bytes = static_cast<std::size_t>(records) * size;
    if (bytes > free_ || cursor_ == nullptr) {
      constexpr std::size_t usual = std::size_t{256} << 10;
      slabs_.emplace_back(context_->memory, std::max(bytes, base::scaled(usual)), context_->owner);
      cursor_ = slabs_.back().data();
      free_ = slabs_.back().size();
    }
    if (!runs_->empty() &&
        runs_->back().data + static_cast<std::size_t>(runs_->back().records) * size == cursor_)
      runs_->back().records += records;
    else if (records > 0)
      runs_->push_back({cursor_, records});
    free_ -= bytes;
    return std::exchange(cursor_, cursor_ + bytes);
  }

  const run_context* context_ = nullptr;
  std::vector<record_run>* runs_ = nullptr;
  std::vector<detail::buffer> slabs_;
  std::byte* cursor_ = nullptr;
  std::size_t free_ = 0;
};

/// The groups of a stage, and how many of them were mapped.
class group_mapping {
 public:
  explicit group_mapping(const run_context& context)
      : params_(context.node.as<map_groups_params>()), owners_(context.node.out) {}

  /// Whether it has no rows.
  bool empty() const noexcept { return !all_ && !ranges_; }
  /// Takes the window's rows, which are all there are.
  void take_all(run_context& context);
  /// Takes some of the window's rows, which come after all before.
  /// \param run_rows  that are sorted in memory at a time, at most.
  void take(run_context& context, std::int64_t begin, std::int64_t end, std::int64_t run_rows);
  /// Appends the records of the next groups, `most` at most. False: there are none left.
  bool map_next(run_context& context, std::size_t most);
  std::string about() const { return ranges_ ? ranges_->about() : std::string(); }

 private:
  bool dense() const noexcept { return params_.domain >= 0; }
  void number_strings(run_context& context, std::byte* keys, std::size_t n);
  std::uint64_t domain_key(std::size_t group) const;
  std::size_t left() const;
  detail::buffer domain_starts(run_context& context, std::size_t n);

  const map_groups_params& params_;
  detail::row_set owners_;  // no rows: what these point into
  std::unique_ptr<string_ids> strings_;
  detail::buffer by_rank_;  // strings
  std::optional<whole_groups> ranges_;
  group_rows now_;
  std::size_t done_ = 0;    // groups of these
  std::uint64_t next_ = 0;  // of a domain: the next key
  bool all_ = false;        // no groups come after these
};

/// The number of each row's string becomes its rank.
void group_mapping::number_strings(run_context& context, std::byte* keys, std::size_t n) {
  const std::size_t count = strings_->size();
  detail::buffer ranks(context.memory, count * sizeof(std::uint32_t), context.owner);
  detail::buffer ids(context.memory, count * sizeof(std::uint32_t), context.owner);
  strings_->sorted(context.team, by_rank_.as<std::string_view>(), ids.as<std::uint32_t>());
  for (std::size_t rank = 0; rank < count; ++rank)
    ranks.as<std::uint32_t>()[ids.as<std::uint32_t>()[rank]] = static_cast<std::uint32_t>(rank);
  for_each_item(context.team, n, rows_an_item(), [&](std::size_t first, std::size_t last) {
    auto* const all = reinterpret_cast<std::uint32_t*>(keys);
    for (std::size_t i = first; i < last; ++i) all[i] = ranks.as<std::uint32_t>()[all[i]];
  });
}

void group_mapping::take_all(run_context& context) {
  all_ = true;
  owners_.keep_owners_of(*context.output);
  const auto n = static_cast<std::size_t>(context.rows);
  const std::size_t key_bytes = ops::sorted_bytes(params_), record_bytes = params_.payload_bytes;
  if (params_.strings) {
    strings_ = names_of_keys<string_ids>(context, params_);
    by_rank_ = detail::buffer(context.memory, n * sizeof(std::string_view), context.owner);
  }
  detail::buffer keys(context.memory, n * key_bytes, context.owner),
      records(context.memory, n * record_bytes, context.owner),
      other_keys(context.memory, n * key_bytes, context.owner),
      other_records(context.memory, n * record_bytes, context.owner);
  const auto extract = [&](std::int64_t first, std::int64_t last) {
    group_feeder feeder(context, params_, {strings_.get()});
    auto row = static_cast<std::size_t>(first);
    return feeder.feed(
        first, last, true, [&](const std::byte* bits, const std::byte* values, std::size_t count) {
          std::memcpy(keys.data() + row * key_bytes, bits, count * key_bytes);
          std::memcpy(records.data() + row * record_bytes, values, count * record_bytes);
          row += count;
        });
  };
  for_each_item(context.team, n, rows_an_item(), [&](std::size_t first, std::size_t last) {
    spread_rows(context, static_cast<std::int64_t>(first), static_cast<std::int64_t>(last),
                extract);
  });
  if (params_.strings) {
    strings_->drop_old_tables();
    number_strings(context, keys.data(), n);
    now_.owners.push_back(base::owned(strings_->take_copies(), context.memory_owner));
  }
  const bool in_first =
      radix_sort(context.team, context.memory,
                 {keys.data(), records.data(), other_keys.data(), other_records.data()}, n,
                 key_bytes, record_bytes, context.owner) == sorted_in::first;
  now_.key_memory = std::move(in_first ? keys : other_keys);
  now_.record_memory = std::move(in_first ? records : other_records);
  now_.keys = now_.key_memory.data();
  now_.records = now_.record_memory.data();
  for (auto* const one : {&keys, &records, &other_keys, &other_records}) one->reset();
  find_starts(context, key_bytes, false, n, now_);
}

void group_mapping::take(run_context& context, std::int64_t begin, std::int64_t end,
                         std::int64_t run_rows) {
  owners_.keep_owners_of(*context.output);
  if (!ranges_) ranges_.emplace(context, run_rows);
  ranges_->add(context, begin, end);
}

std::uint64_t group_mapping::domain_key(std::size_t group) const {
  const std::byte* bits = now_.keys + now_.starts[group] * params_.key_bytes;
  return params_.key_bytes == 4 ? load<std::uint32_t>(bits) : load<std::uint64_t>(bits);
}

/// Groups that can be mapped now.
std::size_t group_mapping::left() const {
  if (!dense()) return now_.groups - done_;
  if (all_) return static_cast<std::uint64_t>(params_.domain) - next_;
  return now_.groups == done_ ? 0 : domain_key(now_.groups - 1) + 1 - next_;
}

/// Where the rows of the next n keys of the domain begin, and the last of them end.
detail::buffer group_mapping::domain_starts(run_context& context, std::size_t n) {
  detail::buffer made(context.memory, (n + 1) * sizeof(std::size_t), context.owner);
  auto* const starts = made.as<std::size_t>();
  const auto group_start = [&] { return now_.starts == nullptr ? 0 : now_.starts[done_]; };
  for (std::size_t i = 0; i < n; ++i) {
    starts[i] = group_start();
    if (done_ < now_.groups && domain_key(done_) == next_ + i) ++done_;
  }
  starts[n] = group_start();
  return made;
}

bool group_mapping::map_next(run_context& context, std::size_t most) {
  context.output->keep_owners_of(owners_);
  while (left() == 0 && !all_) {
    now_ = {};
    done_ = 0;
    if (ranges_) now_ = ranges_->next(context);
    all_ = now_.groups == 0;
  }
  const std::size_t groups = std::min(left(), most), size = context.node.out.size;
  if (groups == 0) return false;
  if (context.node.out.may_point())
    for (const auto& owner : now_.owners) context.output->keep(owner);
  detail::buffer of_domain;
  const std::size_t* starts = now_.starts + done_;
  if (dense()) {
    of_domain = domain_starts(context, groups);
    starts = of_domain.as<std::size_t>();
  }
  const std::size_t key_bytes = strings_ ? sizeof(std::uint32_t) : params_.key_bytes;
  /// Calls use(key, records, n) for group i.
  const auto with_group = [&](std::size_t i, auto&& use) {
    const std::uint64_t index = next_ + i;
    const std::byte* key = now_.keys + starts[i] * key_bytes;
    if (dense()) key = reinterpret_cast<const std::byte*>(&index);  // little-endian: any width
    if (strings_)
      key = reinterpret_cast<const std::byte*>(by_rank_.as<std::string_view>() +
                                               load<std::uint32_t>(key));
    use(key, now_.records + starts[i] * params_.payload_bytes, starts[i + 1] - starts[i]);
  };
  const void* const function = params_.function.get();
  // Small items share out long groups.
  const std::size_t per_item = std::clamp<std::size_t>(groups / 256, 1, 4096);
  if (params_.apply_flat != nullptr) {
    std::vector<group_slabs> slabs(context.team.count());
    std::vector<std::vector<record_run>> runs(detail::ceil_div(groups, per_item));
    detail::parallel_chunks(context.team, runs.size(), [&](std::size_t item, unsigned worker) {
      auto& out = slabs[worker];
      out.begin(context, runs[item]);
      const std::size_t last = std::min((item + 1) * per_item, groups);
      for (std::size_t i = item * per_item; i < last && !context.team.stopping(); ++i)
        with_group(i, [&](const std::byte* key, std::byte* records, std::size_t n) {
          params_.apply_flat(function, key, records, n, out);
        });
    });
    for (const auto& item : runs)
      for (const auto& run : item) context.output->append(run.data, run.records);
    for (auto& each : slabs) each.move_to(*context.output);
  } else {
    detail::buffer out(context.memory, groups * size, context.owner);
    for_each_item(context.team, groups, per_item, [&](std::size_t first, std::size_t last) {
      for (std::size_t i = first; i < last && !context.team.stopping(); ++i)
        with_group(i, [&](const std::byte* key, std::byte* records, std::size_t n) {
          params_.apply(function, key, records, n, out.data() + i * size);
        });
    });
    append_buffer(*context.output, std::move(out), static_cast<std::int64_t>(groups));
  }
  if (dense())
    next_ += groups;
  else
    done_ += groups;
  return true;
}

/// Rows that are sorted in memory at a time; INT64_MAX: all.
std::int64_t rows_at_once(const run_context& context) {
  if (context.in_windows)  // so long windows are, of which filters may have left little
    return std::max(context.rows, context.window_rows);
  const auto& params = context.node.as<map_groups_params>();
  const bool may_rest = ops::rows_may_rest(params);
  if (!may_rest || context.store == nullptr || !context.store->spills()) return INT64_MAX;
  const auto held = context.node.op->holds_of_window(context.node);
  const auto there = context.store->available();
  const auto rows = static_cast<double>(context.rows);
  const bool by_domain = params.domain >= 0 && params.apply_flat == nullptr;
  const double groups = by_domain ? static_cast<double>(params.domain) : rows;
  const double result = groups * static_cast<double>(context.node.out.size),
               starts = (groups + 1) * sizeof(std::size_t);
  const double copied = params.keys_in_records ? static_cast<double>(params.payload_bytes) : 0;
  const double numbers = params.strings ? 110 + copied : 0;  // bytes a row, where all fit
  const double need = std::max(rows * (held.row + numbers) + held.worker * context.team.count(),
                               rows * held.kept + starts + result);
  if (need <= static_cast<double>(there)) return INT64_MAX;
  const auto fitting =
      ops::large_window_rows(there, rows * held.kept + result, held, context.team.count());
  return std::min(fitting, context.rows / 2 + 1);
}

/// Groups whose records are handed on together, where `rows` are sorted at a time.
std::size_t groups_at_once(const run_context& context, std::int64_t rows) {
  const double least = base::scaled(1 << 20);
  const double kept = context.node.op->holds_of_window(context.node).kept;
  const double bytes = std::max(static_cast<double>(rows) * kept / 4, least);
  const auto each = static_cast<double>(context.node.out.size + sizeof(std::size_t));
  return std::max(static_cast<std::size_t>(bytes / each), std::size_t{1});
}

group_mapping& mapping_of(run_context& context) {
  if (!context.state) context.state = std::make_shared<group_mapping>(context);
  return *std::static_pointer_cast<group_mapping>(context.state);
}

void sort_or_map_window(run_context& context) {
  const auto& node = context.node;
  if (context.in_windows ? node.op->keeps_text(node) : node.out.may_point())
    for (const auto& input : context.inputs) context.output->keep_owners_of(*input);
  const std::int64_t fitting = rows_at_once(context);
  if (!context.in_windows && fitting == INT64_MAX) {
    group_mapping all(context);
    all.take_all(context);
    all.map_next(context, SIZE_MAX);
    return;
  }
  if (context.rows == 0) return;
  auto& groups = mapping_of(context);
  const bool text_stays = !context.node.as<map_groups_params>().strings;  // with the window
  if (context.in_windows && context.last_window && groups.empty() && text_stays)
    return groups.take_all(context);
  for (std::int64_t begin = 0; begin < context.rows; begin += fitting) {
    const std::int64_t end = std::min(begin + fitting, context.rows);
    groups.take(context, begin, end, fitting);
    const double row = context.node.op->holds_of_window(context.node).row;
    if (end < context.rows || !context.last_window)  // the next will need as much
      context.store->expect(static_cast<std::size_t>(static_cast<double>(end - begin) * row),
                            context.owner);
  }
  if (context.in_windows) return;
  while (groups.map_next(context, groups_at_once(context, fitting))) {
  }
  context.note = groups.about();
}

void yield_groups_of_range(run_context& context) {
  auto& groups = mapping_of(context);  // of a domain without any rows there are some, too
  const std::size_t at_once = groups_at_once(context, rows_at_once(context));
  const auto before = context.output->rows();
  while (groups.map_next(context, at_once))
    if (context.output->rows() > before) return;  // else there may be more
  context.note = groups.about();
}

constexpr phase map_groups_phases[] = {
    {"sort and map groups", phase::kind::launch, phase::when::each_window, sort_or_map_window},
    {"groups in order", phase::kind::launch, phase::when::each_output, yield_groups_of_range},
};

}  // namespace

const cpu_operator& map_groups_on_cpu() {
  static constexpr cpu_operator made{map_groups_phases};
  return made;
}

}  // namespace pappus::cpu_ops

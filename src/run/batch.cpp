#include "run/batch.h"

#include <algorithm>
#include <thread>
#include <utility>

#include <fmt/format.h>

#include "arrays/file_elements.h"
#include "arrays/leases.h"
#include "plan/batch.h"

namespace pappus::run {
namespace {

using arrays::launch_of;

// A position in 64 bits.
constexpr int part_bits = 48;

template <typename Position>
std::uint64_t packed(const Position& at) {
  return (at.turn << part_bits) | at.part;
}
template <typename Position>
Position unpacked(std::uint64_t bits) {
  return {bits >> part_bits, bits & ((std::uint64_t{1} << part_bits) - 1)};
}

/// Calls f(word, its bits) for items that follow each other, a bit each in words of 64.
template <typename F>
void each_word(const plan::bands& items, F&& f) {
  const auto end = static_cast<std::uint64_t>(items.end);
  for (auto i = static_cast<std::uint64_t>(items.begin); i < end;) {
    const auto bit = i % 64, count = std::min<std::uint64_t>(64 - bit, end - i);
    f(i / 64, (count == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << count) - 1) << bit);
    i += count;
  }
}

/// Where a part of an item may begin. Sums of a row stay whole, and a part begins where a vector
/// does, of however many elements.
grain grain_of(const plan::stage& s) {
  constexpr std::int64_t vectors = 1024, rows_together = 8;  // as loops do
  const auto& launch = launch_of(*s.node);
  const auto rank = launch.indices.rank;
  const bool reduces =
      std::ranges::any_of(launch.accesses, [](const arrays::access& one) { return one.reduces(); });
  if (!reduces) return {rank, vectors};
  if (s.in_registers && s.in_registers->along) {
    const auto along = *s.in_registers->along;
    return {rank - 1, along + 2 == rank ? rows_together : 1, along, rows_together};
  }
  return {rank - 1, s.lanes != 0 ? s.lane_rows : 1};
}

}  // namespace

/// Items before which a stage's chunks in files are announced: some megabytes, so that disks are
/// asked for much at a time.
std::int64_t items_to_announce(const plan::stage& s) {
  constexpr double bytes_ahead = 32 << 20;
  constexpr std::int64_t most = 64;
  const auto& launch = launch_of(*s.node);
  double bytes = 1;
  for (std::size_t a = 0; s.items.size() > 0 && a < launch.arguments.size(); ++a)
    if (is_in_file(launch.arguments[a]))
      bytes += bytes_touched(launch, a, plan::typical_cell(s.items));
  return std::clamp<std::int64_t>(static_cast<std::int64_t>(bytes_ahead / bytes), 2, most);
}

/// One thread's call of take_part, and the threads that help it.
struct batch::participation {
  batch& of;
  const std::function<bool()>& enough;
};

batch::batch(std::vector<graph::node_ptr> launches, plan::plan p,
             const threads::cancel_count& cancels,
             const std::function<arrays::failure_ptr(arrays::launch_number)>& failed_before,
             std::unique_ptr<trace::recorder> recorder, launch_devices devices)
    : launches_(std::move(launches)),
      plan_(std::move(p)),
      cancels_(cancels),
      recorder_(std::move(recorder)),
      devices_(std::move(devices)),
      tasks_(plan_.stages.size()) {
  std::int64_t all = 0;
  for (std::size_t i = 0; i < tasks_.size(); ++i) {
    const auto items = plan_.stages[i].items.size();
    const auto words = static_cast<std::size_t>(items + 63) / 64;
    tasks_[i].bits = std::make_unique<std::atomic<std::uint64_t>[]>(words);
    tasks_[i].left = items;
    all += items;
    const auto& stage = plan_.stages[i];
    const auto& launch = launch_of(*launches_[i]);
    tasks_[i].cut = grain_of(stage);
    tasks_[i].leases = may_rest(launch);
    tasks_[i].files = reads_files(launch);
    if (tasks_[i].files) tasks_[i].items_ahead = items_to_announce(stage);
    if (stage.bins)
      tasks_[i].bins = std::make_unique<binned_values>(launch, stage);
    else if (!stage.partial.empty())
      tasks_[i].leaves = std::make_unique<leaf_results>(launch, stage);
    if (!stage.where.devices.empty())
      tasks_[i].device = std::make_unique<launch_on_device>(launch, stage, devices_);
    for (const auto number : launch.needs)
      if (auto why = failed_before(number)) fail(i, handed_on, std::move(why));
  }
  for (std::size_t i = 0; i < tasks_.size(); ++i) expect_users(i, 1);
  left_ = all;
  cursor_ = packed(first_of(0));
  if (recorder_ != nullptr) begin_record();
}

batch::~batch() {
  for (std::size_t i = 0; i < tasks_.size(); ++i)
    if (!done(i)) expect_users(i, -1);
  if (recorder_ != nullptr) recorder_->end_step();
}

void batch::begin_record() {
  double bytes = 0;
  for (const auto& s : plan_.stages) bytes += s.bytes.read + s.bytes.written;
  auto label = graph::label(*launches_.front());
  if (const auto more = launches_.size() - 1; more > 0)
    label += fmt::format(" and {} more launch{}", more, more == 1 ? "" : "es");
  recorder_->begin_step(std::move(label), bytes);
  recorder_->begin_items(static_cast<std::size_t>(left_.load()));
}

plan::turn_parts batch::parts_of(std::size_t turn) const {
  const auto& of = plan_.order[turn];
  return {of, plan_.stages[of.first].items.size()};
}

/// The first position of a turn that has parts, or of one after it.
batch::position batch::first_of(std::size_t turn) const {
  while (turn < plan_.order.size() && parts_of(turn).count() == 0) ++turn;
  return {turn, 0};
}

batch::position batch::after(position at) const {
  if (std::cmp_equal(at.part + 1, parts_of(at.turn).count())) return first_of(at.turn + 1);
  return {at.turn, at.part + 1};
}

bool batch::next(position& taken) {
  auto bits = cursor_.load(std::memory_order_relaxed);
  while (true) {
    taken = unpacked<position>(bits);
    if (taken.turn >= plan_.order.size()) return false;
    if (cursor_.compare_exchange_weak(bits, packed(after(taken)), std::memory_order_relaxed))
      return true;
  }
}

void batch::participate(void* context) {
  auto& [of, enough] = *static_cast<participation*>(context);
  const auto begin = trace::clock::now();
  std::size_t taken = 0;
  for (position at; !enough() && of.next(at); ++taken) of.run(at);
  if (of.recorder_ != nullptr && taken > 0)
    of.recorder_->took_part(begin, trace::clock::now(), taken);
}

void batch::take_part(threads::team& team, const std::function<bool()>& enough) {
  team_ = &team;
  participation own{*this, enough};
  const auto items = left_.load(std::memory_order_relaxed);
  const auto helpers =
      static_cast<unsigned>(std::min<std::int64_t>(items, team.threads())) - (items > 0 ? 1 : 0);
  if (helpers == 0)
    participate(&own);
  else
    team.join_in(helpers, participate, &own);
  wait_until([&] { return enough() || finished(); });
}

void batch::run(const position& at) {
  const auto& turn = plan_.order[at.turn];
  const auto part = static_cast<std::int64_t>(at.part);
  if (turn.tile != 0) return run_tile(turn, parts_of(at.turn), part);
  for (std::size_t s = turn.first; s < turn.first + turn.stages; ++s) {
    run_item(s, part, {});
    finish_items(s, {part, part + 1});
  }
}

void batch::run_tile(const plan::turn& turn, const plan::turn_parts& parts, std::int64_t part) {
  if (parts.is_wedge(part))
    for (const auto tile : {parts.tile_before(part), parts.tile_before(part) + 1})
      wait_for_tile(turn, parts, tile);
  parts.each_item(part, [&](std::int64_t stage, std::int64_t item) {
    run_item(turn.first + static_cast<std::size_t>(stage), item, turn);
  });
  // All at once: threads share the counts.
  for (std::size_t s = 0; s < turn.stages; ++s)
    finish_items(turn.first + s, parts.of_stage(part, static_cast<std::int64_t>(s)));
}

void batch::wait_for_tile(const plan::turn& turn, const plan::turn_parts& parts,
                          std::int64_t tile) {
  for (std::size_t s = 0; s < turn.stages; ++s) {
    const auto stage = turn.first + s;
    const auto [begin, end] = parts.of_stage(tile, static_cast<std::int64_t>(s));
    auto items = plan_.stages[stage].items.shape();
    items.low[0] = begin, items.high[0] = end;
    wait_until([&] { return are_done(stage, items); });
  }
}

/// Tells memory that may go to the disk how many launches wait for it.
void batch::expect_users(std::size_t stage, int more) const {
  for (const auto& argument : launch_of(*launches_[stage]).arguments)
    if (argument.elements->pageable != nullptr) argument.elements->pageable->expect_users(more);
}

void batch::finish_items(std::size_t stage, plan::bands items) {
  const auto count = items.end - items.begin;
  if (count == 0) return;
  auto& task = tasks_[stage];
  each_word(items, [&](std::size_t word, std::uint64_t bits) { task.bits[word].fetch_or(bits); });
  if (task.left.fetch_sub(count) == count) {
    expect_users(stage, -1);
    const std::lock_guard lock(mutex_);
    task.leaves.reset();  // a failed stage's still have states
    task.bins.reset();
  }
  for (auto i = items.begin; recorder_ != nullptr && i < items.end; ++i) recorder_->item_done();
  left_.fetch_sub(count);
  tell_waiting();
}

bool batch::wait_for_needs(std::size_t stage, const regions::box& indices,
                           const plan::turn& within) {
  const auto& s = plan_.stages[stage];
  bool good = true;
  // For all of them, even once one has failed: who waits for this item takes it that they are done.
  for (const auto& need : s.needs) {
    const auto before = plan::index(need.before);
    const bool in_tile = within.tile != 0 && before >= within.first;
    if (!in_tile && !done(before)) {
      const auto items = plan::items_before(plan_, s, need, indices);
      wait_until([&] { return are_done(before, items); });
    }
    if (need.why != plan::need::conflict::read_after_write) continue;
    if (auto why = own_failure(before)) {
      fail(stage, handed_on, std::move(why));
      good = false;
    }
  }
  return good;
}

bool batch::are_done(std::size_t stage, const regions::box& items) const {
  if (items.empty() || done(stage)) return true;
  const auto& grid = plan_.stages[stage].items;
  const auto last = items.rank - 1;
  auto at = items.low;
  while (true) {
    const auto begin = grid.number(at);
    bool all = true;
    each_word({begin, begin + items.high[last] - items.low[last]},
              [&](std::size_t word, std::uint64_t wanted) {
                all = all && (tasks_[stage].bits[word].load() & wanted) == wanted;
              });
    if (!all) return false;
    auto d = last;
    while (d > 0 && ++at[d - 1] == items.high[d - 1]) {
      at[d - 1] = items.low[d - 1];
      --d;
    }
    if (d == 0) return true;
  }
}

/// The failure of the lowest item counts, and what another launch handed on before all.
void batch::fail(std::size_t stage, std::int64_t item, arrays::failure_ptr why) {
  auto& task = tasks_[stage];
  const std::lock_guard lock(mutex_);
  if (item >= task.failed_item.load()) return;
  task.failure = std::move(why);
  task.failed_item.store(item);
  if (task.leaves != nullptr) task.leaves->give_up();
  if (task.bins != nullptr) task.bins->give_up();
}

template <typename F>
void batch::each_read(std::size_t stage, F&& f) const {
  for (const auto& need : plan_.stages[stage].needs)
    if (need.why == plan::need::conflict::read_after_write) f(plan::index(need.before));
}

bool batch::settled(std::size_t stage) const {
  if (finished()) return true;
  if (!done(stage)) return false;
  std::vector<bool> needed(stage + 1, false);
  needed[stage] = true;
  for (std::size_t s = stage + 1; s-- > 0;) {
    if (!needed[s]) continue;
    if (!done(s)) return false;
    each_read(s, [&](std::size_t before) { needed[before] = true; });
  }
  return true;
}

arrays::failure_ptr batch::own_failure(std::size_t stage) const {
  if (tasks_[stage].failed_item.load() == none) return nullptr;
  const std::lock_guard lock(mutex_);
  return tasks_[stage].failure;
}

/// A stage has failed with any that it reads from, even where it was done before that.
arrays::failure_ptr batch::failure(std::size_t stage) {
  for (std::size_t s = 0; s <= stage; ++s)
    each_read(s, [&](std::size_t before) {
      if (auto why = own_failure(before); why && done(s)) fail(s, handed_on, std::move(why));
    });
  return own_failure(stage);
}

bool batch::cancelled(std::size_t stage) const {
  const auto& launch = launch_of(*launches_[stage]);
  return !launch.owed && cancels_.load(std::memory_order_relaxed) != launch.cancels;
}

template <typename Ready>
void batch::wait_until(Ready&& ready) {
  constexpr int polls_before_sleep = 100;
  for (int polls = 0; !ready(); ++polls) {
    if (polls < polls_before_sleep) {
      std::this_thread::yield();
      continue;
    }
    waiting_.fetch_add(1);
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, ready);
    }
    waiting_.fetch_sub(1);
  }
}

void batch::tell_waiting() {
  if (waiting_.load() == 0) return;
  {
    const std::lock_guard lock(mutex_);
  }  // who has looked already is asleep by now
  changed_.notify_all();
}

}  // namespace pappus::run

// Runs the items of a batch's launches: on devices, leaf by leaf, in tiles, with their elements in
// memory.
#include <array>
#include <exception>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "algorithms/stream.h"
#include "arrays/access_checks.h"
#include "arrays/file_elements.h"
#include "arrays/leases.h"
#include "base/failure.h"
#include "pappus/error.h"
#include "plan/batch.h"
#include "regions/parts.h"
#include "run/batch.h"
#include "run/lanes.h"
#include "run/reduced_rows.h"

namespace pappus::run {
namespace {

using arrays::launch_of;

thread_local bool inside = false;

/// While this thread runs a launch's function.
class in_function {
 public:
  in_function() : outer_(std::exchange(inside, true)) {}
  ~in_function() { inside = outer_; }
  in_function(const in_function&) = delete;
  in_function& operator=(const in_function&) = delete;

 private:
  const bool outer_;
};

/// What the exception being handled says.
std::string message() {
  try {
    throw;
  } catch (const std::exception& e) {
    return e.what();
  } catch (...) {
    return "an exception that isn't a std::exception";
  }
}

/// What the exception being handled, which a launch's function threw, is for who looks at results.
std::string message(const arrays::launch& of, const base::failure_note& note) {
  try {
    throw;
  } catch (const arrays::access_error& e) {
    return e.what();
  } catch (...) {
    return fmt::format("{} failed{}: {}", text(of),
                       note.row >= 0 ? " at index " + index_text(of, note.row) : "", message());
  }
}

/// Of the exception being handled.
arrays::failure_ptr failure_of(const arrays::launch& launch) {
  const auto note = base::take_note();
  auto result = std::make_shared<arrays::launch_failure>();
  result->original = std::current_exception();
  result->what = message(launch, note);
  return result;
}

arrays::failure_ptr cancelled_failure(const arrays::launch& launch) {
  auto result = std::make_shared<arrays::launch_failure>();
  result->what = fmt::format("{} was cancelled", text(launch));
  result->original = std::make_exception_ptr(pappus::cancelled());
  result->told = true;  // who cancels knows
  return result;
}

}  // namespace

bool in_launch() noexcept { return inside; }

void batch::run_item(std::size_t stage, std::int64_t item, const plan::turn& within) {
  const auto& task = tasks_[stage];
  const auto indices = plan_.stages[stage].items.cell(item);
  // What precedes an item that failed is run all the same: the lowest failure is to be told.
  if (!wait_for_needs(stage, indices, within) ||
      item >= task.failed_item.load(std::memory_order_relaxed))
    return;
  const auto& launch = launch_of(*launches_[stage]);
  if (task.files) announce(stage, item);
  try {
    call(stage, indices);
  } catch (...) {
    fail(stage, item, cancelled(stage) ? cancelled_failure(launch) : failure_of(launch));
  }
}

void batch::call(std::size_t stage, const regions::box& indices) {
  const auto& launch = launch_of(*launches_[stage]);
  std::array<detail::view_place, 16> few;
  std::vector<detail::view_place> many;
  std::span<detail::view_place> places(few.data(), std::min(few.size(), launch.arguments.size()));
  if (launch.arguments.size() > few.size()) {
    many.resize(launch.arguments.size());
    places = many;
  }
  for (std::size_t a = 0; a < launch.arguments.size(); ++a) {
    const auto& argument = launch.arguments[a];
    places[a] = place_of(*argument.array, *argument.elements, argument.part);
  }
  const in_function here;
  if (tasks_[stage].bins != nullptr) return call_binned(stage, indices, places);
  if (tasks_[stage].leaves != nullptr) return call_leaves(stage, indices, places);
  run_indices(stage, indices, places);
}

arrays::file_reads batch::reads_of(std::size_t stage) const {
  return {.once = plan_.stages[stage].read_once, .whole_boxes = tasks_[stage].device != nullptr};
}

/// Each item's chunks once, by the thread whose item is so far behind it.
void batch::announce(std::size_t stage, std::int64_t item) {
  auto& task = tasks_[stage];
  const auto& items = plan_.stages[stage].items;
  const auto end = std::min(item + 1 + task.items_ahead, items.size());
  auto begin = task.announced.load(std::memory_order_relaxed);
  while (begin < end)
    if (task.announced.compare_exchange_weak(begin, end, std::memory_order_relaxed)) break;
  for (auto next = std::max(begin, item + 1); next < end; ++next)
    announce_touched(launch_of(*launches_[stage]), items.cell(next), reads_of(stage));
}

/// With what they read of files in memory.
void batch::run_indices(std::size_t stage, const regions::box& indices,
                        std::span<const detail::view_place> places) {
  if (!tasks_[stage].files) return run_read(stage, indices, places, nullptr);
  const auto& launch = launch_of(*launches_[stage]);
  const auto& s = plan_.stages[stage];
  std::vector<detail::view_place> found(places.begin(), places.end());
  const auto run_some = [&](const regions::box& some) {
    each_readable(launch, some, plan::dimensions_to_cut(s), [&](const regions::box& part) {
      auto how = reads_of(stage);
      if (part != some) how.once = 0;  // parts may share chunks
      arrays::read_elements read(launch, part, how, found);
      run_read(stage, part, found, &read);
    });
  };
  if (s.reads.rank() == 0 || tasks_[stage].device != nullptr) return run_some(indices);
  regions::each_place(s.reads.cells(indices), [&](const regions::point& cell) {
    run_some(regions::intersect(s.reads.cell(cell), indices));
  });
}

/// With their elements in memory, on the stage's device as far as that can; tiles of the others on
/// this thread.
void batch::run_read(std::size_t stage, const regions::box& indices,
                     std::span<const detail::view_place> places, arrays::read_elements* read) {
  const auto on_cpu = [&](const regions::box& some) {
    regions::each_part(some, plan_.stages[stage].tile,
                       [&](const regions::box& tile) { run_leased(stage, tile, places, read); });
  };
  auto* const device = tasks_[stage].device.get();
  if (device == nullptr) return on_cpu(indices);
  const auto& launch = launch_of(*launches_[stage]);
  const auto& s = plan_.stages[stage];
  each_leasable(launch, indices, plan::dimensions_to_cut(s), [&](const regions::box& part) {
    auto lease = with_room(launch, read, [&] { return lease_touched(launch, part, s.partial); });
    const auto left = device->run(part, places, [&](const regions::box& some, auto at) {
      const in_function on_its_thread;
      regions::each_part(some, s.tile,
                         [&](const regions::box& tile) { run_parts(stage, tile, at); });
    });
    lease.reset();
    on_cpu(left);
  });
}

/// With their elements in memory.
void batch::run_leased(std::size_t stage, const regions::box& indices,
                       std::span<const detail::view_place> places, arrays::read_elements* read) {
  const auto& task = tasks_[stage];
  if (!task.leases) return run_parts(stage, indices, places);
  const auto& launch = launch_of(*launches_[stage]);
  const auto& s = plan_.stages[stage];
  each_leasable(launch, indices, plan::dimensions_to_cut(s), [&](const regions::box& part) {
    const auto lease =
        with_room(launch, read, [&] { return lease_touched(launch, part, s.partial); });
    run_parts(stage, part, places);
  });
}

void batch::run_parts(std::size_t stage, const regions::box& indices,
                      std::span<const detail::view_place> places) {
  const auto look = [&] {
    if (cancelled(stage)) throw pappus::cancelled();
  };
  auto& task = tasks_[stage];
  task.parts.each_part(indices, task.cut, look,
                       [&](const regions::box& part) { run_loop(stage, part, places); });
}

void batch::run_loop(std::size_t stage, const regions::box& indices,
                     std::span<const detail::view_place> places) {
  const auto& launch = launch_of(*launches_[stage]);
  const auto& s = plan_.stages[stage];
  std::optional<arrays::access_checks> checks;
  if (launch.checks_access) checks.emplace(launch, users_of(stage));
  auto* const asked = checks ? &*checks : nullptr;
  if (s.lanes != 0) return run_rows_in_lanes(launch, s, indices, places, asked);
  if (s.in_registers) return run_in_registers(launch, s, indices, places);
  const auto box = arrays::numbers_of(indices), all = arrays::numbers_of(launch.indices);
  // Also where the function throws: who writes the same elements anew comes after.
  const struct fence {
    bool needed;
    ~fence() {
      if (needed) algorithms::stream_fence();
    }
  } at_end{s.past_caches};
  launch.loop(launch.function.get(),
              {box, all, places.data(), s.independent, 0, asked, s.past_caches});
}

/// Made by the first item, so that launches that wait don't take memory for it.
arrays::element_users* batch::users_of(std::size_t stage) {
  auto& task = tasks_[stage];
  const auto& launch = launch_of(*launches_[stage]);
  if (!arrays::element_users::are_noted(launch)) return nullptr;
  std::call_once(task.users_made,
                 [&] { task.users = std::make_unique<arrays::element_users>(launch); });
  return task.users.get();
}

void batch::call_leaves(std::size_t stage, const regions::box& indices,
                        std::span<detail::view_place> places) {
  const auto& leaves = plan_.stages[stage].leaves;
  auto& results = *tasks_[stage].leaves;
  const auto& launch = launch_of(*launches_[stage]);
  regions::each_place(leaves.cells(indices), [&](const regions::point& cell) {
    const auto leaf = leaves.number(cell);
    auto states = with_room(launch, nullptr, [&] { return results.start(leaf); });
    results.place(states, places);
    run_indices(stage, leaves.cell(cell), places);
    results.finish(leaf, std::move(states));
  });
}

void batch::call_binned(std::size_t stage, const regions::box& indices,
                        std::span<detail::view_place> places) {
  const auto& leaves = plan_.stages[stage].leaves;
  auto& results = *tasks_[stage].bins;
  auto& team = *team_.load();
  regions::each_place(leaves.cells(indices), [&](const regions::point& cell) {
    const auto leaf = leaves.number(cell);
    results.finish(leaf, fill_bins(stage, leaf, leaves.cell(cell), places), team);
  });
}

/// Puts a leaf's values aside, or some of them. Null: there was no room for them together; they are
/// merged, part by part.
std::unique_ptr<leaf_values> batch::fill_bins(std::size_t stage, std::int64_t leaf,
                                              const regions::box& indices,
                                              std::span<detail::view_place> places) {
  auto& results = *tasks_[stage].bins;
  auto& team = *team_.load();
  while (true) try {
      auto into = results.start(leaf);
      results.place(*into, places);
      run_indices(stage, indices, places);
      into->check();
      return into;
    } catch (const memory_error&) {
      if (results.make_room(leaf, team)) continue;
      if (indices.volume() <= 1 || results.gave_up()) throw;
      break;
    }
  // Along the slowest dimension, so that values come in the order of the indices.
  auto first = indices, second = indices;
  std::size_t d = 0;
  while (indices.extent(d) == 1) ++d;
  first.high[d] = second.low[d] = indices.low[d] + indices.extent(d) / 2;
  for (const auto& half : {first, second})
    if (auto values = fill_bins(stage, leaf, half, places))
      results.merge_some(std::move(values), team);
  return nullptr;
}

}  // namespace pappus::run

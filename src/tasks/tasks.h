// What will be done, step by step: a DAG of tasks made from a plan.
//
// Every byte that is allocated, read or moved belongs to a task. A task covers all chunks of a
// step, never one chunk: a plan over a million chunks has as many tasks as one over ten. Ids are in
// an order that respects the dependencies.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "cpu_ops/contract.h"
#include "plan/plan.h"

namespace pappus::tasks {

enum class task_kind : std::uint8_t { alloc, free, read, launch, reduce, view, copy, for_each };
std::string_view name(task_kind kind);

enum class task_id : std::uint32_t {};
constexpr std::size_t index(task_id id) { return static_cast<std::size_t>(id); }

struct task {
  task_kind kind = task_kind::launch;
  plan::stage_index stage{};
  std::string_view what;                 ///< the operator's name for the step
  const cpu_ops::phase* step = nullptr;  ///< launch, reduce on the CPU
  double bytes = 0;                      ///< that it allocates, frees, reads or moves
  bool exact = true;                     ///< false: bytes is a bound
  std::int64_t items = 1;                ///< chunks it covers
  bool each_window = false;              ///< repeated for every window of the input
  bool brings_windows = false;  ///< those that the tasks after it are repeated for, up to the first
                                ///< that isn't
  bool asks = false;            ///< for a join whose right rows rest, besides the stage's own steps
  bool on_device = false;       ///< of a stage that runs on devices, chunk by chunk or item by item
  std::vector<task_id> after;   ///< what it waits for
};

struct dag {
  std::vector<task> list;

  /// Throws std::logic_error naming the task when an invariant is broken.
  void verify(const plan::plan& p) const;
  std::string print(const plan::plan& p) const;
};

/// Tasks of stages [first, last) of the plan.
dag lower(const plan::plan& p, std::size_t first, std::size_t last);
/// Tasks of a batch of launches.
dag lower_batch(const plan::plan& p);

}  // namespace pappus::tasks

// Runs the tasks of a plan.
//
// The live executor runs them on this machine's cores and devices: each task is parallel inside, so
// tasks follow one another. The dry one (dry.h) only counts.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "chunk_loop/stage_run.h"
#include "cpu_ops/contract.h"
#include "cpu_ops/row_counts.h"
#include "memory/store.h"
#include "pappus/detail/base/parallel.h"
#include "pappus/error.h"
#include "plan/plan.h"
#include "tasks/tasks.h"
#include "trace/recorder.h"

namespace pappus::run {

struct resources {
  detail::workers& team;
  std::shared_ptr<memory::pool> memory;  ///< shared: results keep it alive
  memory::store* store;                  ///< of rows that rest
  std::size_t window_bytes;              ///< of rows of a file that are in memory at a time
  trace::recorder* recorder = nullptr;   ///< is told what runs; may be null
  cpu_ops::evaluation evaluate;          ///< for stages that evaluate graphs themselves
  /// One for each of the plan's machine::devices, in the same order; empty: it places nothing
  /// there.
  std::vector<chunk_loop::device_session*> devices{};
  std::int64_t chunk_rows = 0;         ///< the user's choice; 0: by memory
  bool in_loop = false;                ///< an iteration of a do_while
  graph::kept_states* kept = nullptr;  ///< what its stages keep for the next one; may be null
  bool measure = false;                ///< fill in measurements()
  bool count = false;                  ///< count records between operators
  /// Called with a sentence for every fault of a device: what happened and what was done about it.
  std::function<void(const std::string&)> on_fault{};
  /// Called when a function of the user's threw.
  std::function<void(const failure&)> on_failure{};
};

/// What happened in one task.
struct measurement {
  tasks::task done;
  double seconds = 0;
  std::int64_t windows = 1;
  std::string note;
  std::size_t threads = 0;  ///< that took part; 0: no parallel work, or there was no recorder
};

class live_executor {
 public:
  live_executor(const plan::plan& p, resources with);
  ~live_executor();

  /// Runs tasks of stages whose predecessors have run. Throws what operators and lambdas throw;
  /// stages that failed have no rows.
  void execute(const tasks::dag& work);

  /// The rows of a stage that has run and wasn't freed; copied to the host if they aren't there.
  const detail::rows_ptr& rows(plan::stage_index stage);

  /// The same of a stage whose rows are kept in parts.
  std::shared_ptr<graph::kept_rows> parts(plan::stage_index stage) const;

  /// Rows a stage yielded, even if they were freed since.
  std::int64_t row_count(plan::stage_index stage) const;

  /// Seconds that a stage's tasks took; if it streams a file, with the reading.
  double seconds(plan::stage_index stage) const;
  /// Seconds that counting records between operators took, which no stage's are part of.
  double counting_seconds() const { return std::chrono::duration<double>(counting_).count(); }
  /// How often the body of a do_while ran.
  std::int64_t iterations(plan::stage_index stage) const;
  /// Whether the CPU ran a stage that the plan placed on devices.
  bool moved_to_cpu(plan::stage_index stage) const;

  /// The records between a stage's operators; null: nobody counted them.
  const cpu_ops::row_counts* counts(plan::stage_index stage) const;

  /// One for each task that was run; none unless resources::measure is set.
  const std::vector<measurement>& measurements() const noexcept { return measured_; }

 private:
  struct slot;
  class streaming;
  class window_source;
  class inputs_in_step;
  class window_lengths;
  void run_task(const tasks::task& t, std::int64_t& windows, std::string& note);
  void finish_task(const tasks::task& t);
  void run_phase(const tasks::task& t);
  /// Gives a stage that has begun an empty set for what it makes next.
  void begin_output(plan::stage_index stage);
  void start(plan::stage_index stage);
  /// Runs a stage on its devices, or where they fail on others or the CPU.
  void run_on_devices(plan::stage_index stage, std::string& note);
  std::unique_ptr<chunk_loop::stage_run> device_stage(plan::stage_index stage);
  void run_on_cpu(plan::stage_index stage);
  /// Whether the CPU reads a stage's only input so that records needn't lie in memory.
  bool reads_block_by_block(plan::stage_index stage) const;
  /// Counts records between operators in the rows, or the window, that the stage is done with, if
  /// resources::count is set.
  void count_rows(plan::stage_index stage);
  void hand_over(plan::stage_index stage);
  /// Calls step(), which works for a stage. If a user's function throws there, the exception that
  /// leaves tells where.
  template <typename F>
  void run_step(plan::stage_index stage, F&& step) {
    try {
      step();
    } catch (...) {
      tell_failure(stage);
    }
  }
  /// To be called in a catch block: rethrows the exception, or throws one that also tells where the
  /// user's function was (failed_call).
  [[noreturn]] void tell_failure(plan::stage_index stage);
  void begin_step(const tasks::task& t, double bytes);
  void read_file(plan::stage_index stage);
  /// Puts what a file has, or several in turn, into parts.
  void read_in_parts(plan::stage_index stage);
  /// Rows in parts: where they are put, and when all are.
  void begin_parts(plan::stage_index stage);
  void put_in_parts(plan::stage_index stage);
  detail::rows_ptr all_of(const graph::kept_rows& parts, plan::stage_index stage);
  void end_parts(plan::stage_index stage);
  /// Has rows brought into memory that rest.
  void wake(plan::stage_index stage, std::string& note);
  void count_memory();  // for the trace
  /// Runs tasks [first, last) on each window, which the first of them brings; returns how many
  /// there were, and what each task took.
  std::int64_t stream(const tasks::dag& work, std::size_t first, std::size_t last,
                      std::vector<double>& seconds, std::string& note);
  slot& at(plan::stage_index stage);
  std::span<const cpu_ops::phase> steps_of(plan::stage_index stage) const;

  using clock = std::chrono::steady_clock;
  /// The time without what counting took.
  clock::time_point now() const { return clock::now() - counting_; }

  const plan::plan& plan_;
  resources with_;
  clock::duration counting_{};
  std::unique_ptr<slot[]> slots_;
  std::vector<measurement> measured_;
};

/// A copy of rows, as one chunk.
detail::rows_ptr copied(const detail::rows_ptr& rows, detail::workers& team,
                        const std::shared_ptr<detail::memory_source>& memory);

/// A copy of rows [first, first + count), without the text that they point to.
detail::buffer copied(const detail::row_set& rows, std::int64_t first, std::int64_t count,
                      detail::workers& team, detail::memory_source& memory, std::string_view owner);

/// Rows that a store keeps, read to one buffer for each of records and text: those that rest don't
/// come back to its memory.
detail::rows_ptr read_rows(std::vector<graph::row_store::copy> wanted,
                           const detail::record_type& layout, const resources& with,
                           std::string_view owner);

/// The same rows as one chunk; copies only when they aren't already.
detail::rows_ptr contiguous(const detail::rows_ptr& rows, detail::workers& team,
                            const std::shared_ptr<detail::memory_source>& memory);

}  // namespace pappus::run

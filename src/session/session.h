// One session: its threads, its memory, and the way from a graph to its result.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "cost/machine.h"
#include "memory/chunk_cache.h"
#include "memory/pool.h"
#include "memory/store.h"
#include "pappus/detail/base/request.h"
#include "pappus/session.h"
#include "plan/plan.h"
#include "report/collector.h"
#include "run/executor.h"
#include "session/check_setting.h"
#include "session/launch_setting.h"
#include "session/launches.h"
#include "session/session_devices.h"
#include "session/stage_times.h"
#include "threads/team.h"
#include "trace/recorder.h"

namespace pappus::detail {

class session_core : public std::enable_shared_from_this<session_core> {
 public:
  explicit session_core(const options& settings);

  /// graph → plan → tasks → run. The whole engine on one screen: see evaluate.cpp.
  std::vector<rows_ptr> evaluate(std::span<const node_ptr> roots, std::string* report = nullptr);

  rows_ptr make_contiguous(const rows_ptr& rows);  // run on workers of its own
  std::string explain(std::span<const node_ptr> roots, explain_format format);

  /// How many rows a node will have that `root` needs, as far as is known before that runs.
  graph::bound rows_of(const node& of, const node_ptr& root);

  node_ptr add(node_request request);
  void end() noexcept;
  void cancel() noexcept { cancels_.fetch_add(1); }
  bool has_ended() const noexcept { return ended_; }
  /// Throws usage_error when the session has ended.
  void check_alive() const;
  /// Throws usage_error when the node is another session's.
  void check_owner(const node& n) const;

  /// What went wrong on devices so far, and what was done about it.
  std::vector<std::string> device_faults();

  /// Where a user's function threw last.
  std::optional<failure> last_failure() const;

  const options& settings() const noexcept { return settings_; }
  check_setting checks() const noexcept { return checks_; }
  const std::shared_ptr<memory::pool>& memory() const noexcept { return memory_; }
  const std::shared_ptr<memory::store>& store() const noexcept { return store_; }
  arrays::array_memory array_memory() const { return {memory_, store_->arrays(), chunks_}; }
  /// Throws usage_error when the session has ended.
  launch_queue& launches();
  threads::query_workers workers(trace::recorder* recorder = nullptr) {
    return {*team_, cancels_, recorder};
  }

 private:
  /// `pappus explain` runs a program until its first query or wait for launches, or the one that it
  /// chose: prints how that would run and ends the process. Returns for those before it.
  /// \param explained  empty: this one can't be told of that way.
  void explain_if_chosen(const std::function<std::string(explain_format)>& explained);
  /// \param outer  the recorder of the query this one is part of; null: it stands alone.
  std::vector<rows_ptr> run_query(std::span<const node_ptr> roots, const graph::iteration& now,
                                  threads::query_workers& team, trace::recorder* outer,
                                  std::string* report);
  std::vector<rows_ptr> run_once(std::span<const node_ptr> roots, const graph::iteration& now,
                                 bool use_devices, threads::query_workers& team,
                                 trace::recorder* outer, std::string* report);
  /// A recorder for one query; null when nobody listens. \param report  a report is wanted.
  std::unique_ptr<trace::recorder> listen(const plan::plan& p, bool report) const;
  std::unique_ptr<trace::recorder> listen_to_launches(const plan::plan& p) const;
  /// Who collects for a page; null: nobody.
  std::shared_ptr<report::collector> collector() const;
  plan::request planning(std::span<const node_ptr> roots, const plan::bindings* bound,
                         bool with_devices);
  /// Keeps the rows of a cached node, unless some are kept already.
  std::shared_ptr<graph::kept_rows> rows_to_keep(run::live_executor& executor,
                                                 plan::stage_index stage);
  void keep(const node& n, std::shared_ptr<graph::kept_rows> kept);
  /// What a stage took that has run. Where devices handed it over, it is the CPU's from now on.
  void learn(plan::plan& p, plan::stage_index which, const run::live_executor& executor);
  /// Whether a query, planned for the CPU, should be planned again with the devices there are.
  bool worth_devices(const plan::plan& on_cpu);
  const cost::machine& machine_with_devices();
  void remember_fault(const std::string& text);
  void remember_failure(const failure& where);

  options settings_;
  cost::machine machine_;
  std::shared_ptr<memory::pool> memory_;
  std::shared_ptr<memory::store> store_;
  std::shared_ptr<memory::chunk_cache> chunks_;
  session_devices devices_;
  stage_times times_;
  std::once_flag devices_added_;
  cost::machine machine_with_devices_;
  mutable std::mutex faults_mutex_;
  std::vector<std::string> faults_;
  std::optional<failure> last_failure_;
  std::unique_ptr<threads::team> team_;
  mutable std::mutex tracer_mutex_;  // a session may end while queries start
  std::shared_ptr<trace::sink> tracer_;
  std::shared_ptr<report::collector> collector_;  // with tracer_mutex_, too
  bool progress_ = false;
  check_setting checks_ = check_setting::where_compiled;
  launch_setting when_launches_run_ = launch_setting::gathered;
  const char* explain_only_ = nullptr;  // PAPPUS_EXPLAIN: "text", "dot:3", "svg:1:file.svg"
  std::atomic<long> asked_{0};          // queries so far, where one is to be explained
  threads::cancel_count cancels_{0};
  std::atomic<std::uint64_t> node_count_{0};
  std::shared_ptr<graph::node_table> node_table_ = std::make_shared<graph::node_table>();
  std::atomic<bool> ended_{false};
  std::once_flag launches_made_;
  std::unique_ptr<launch_queue> launches_;  // goes first: it uses all the others
};

}  // namespace pappus::detail

// One session: its threads, its memory, and the way from a graph to its result.
#pragma once

#include <atomic>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "cost/machine.h"
#include "devices/cpu/team.h"
#include "memory/pool.h"
#include "pappus/detail/core/request.h"
#include "pappus/session.h"
#include "plan/plan.h"
#include "run/executor.h"
#include "trace/recorder.h"

namespace pappus::detail {

class session_core : public std::enable_shared_from_this<session_core> {
 public:
  explicit session_core(const options& settings);

  /// graph → plan → tasks → run. The whole engine on one screen: see evaluate.cpp.
  std::vector<rows_ptr> evaluate(std::span<const node_ptr> roots, const plan::bindings& bound = {},
                                 std::string* report = nullptr);

  rows_ptr make_contiguous(const rows_ptr& rows);
  std::string explain(const node_ptr& root, explain_format format);

  node_ptr add(node_request request);
  void end() noexcept;
  void cancel() noexcept { cancels_.fetch_add(1); }
  /// Throws usage_error when the session has ended.
  void check_alive() const;

  const options& settings() const noexcept { return settings_; }
  const std::shared_ptr<memory::pool>& memory() const noexcept { return memory_; }
  devices::cpu::query_workers workers(trace::recorder* recorder = nullptr) {
    return {*team_, cancels_, recorder};
  }

 private:
  /// A recorder for one query; null when nobody listens.
  std::unique_ptr<trace::recorder> listen(const plan::plan& p) const;
  plan::request planning(std::span<const node_ptr> roots, const plan::bindings* bound) const;

  options settings_;
  cost::machine machine_;
  std::shared_ptr<memory::pool> memory_;
  std::unique_ptr<devices::cpu::team> team_;
  std::shared_ptr<trace::sink> tracer_;
  bool progress_ = false;
  devices::cpu::cancel_count cancels_{0};
  std::atomic<std::uint32_t> nodes_{0};
  std::atomic<bool> ended_{false};
};

/// Fills unset options from PAPPUS_* and the machine.
options resolved(options settings);

}  // namespace pappus::detail

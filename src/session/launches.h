// The launches of a session: noted when they are called, run in batches.
//
// A batch is closed when somebody waits for one of its launches, when it is long, or when no launch
// has come for a while. Who waits runs it; what nobody waits for is run by one thread of the
// session's own, the pump, which is made at the first launch. Batches run one after another, and
// while one runs the next one gathers.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "arrays/image.h"
#include "arrays/launch.h"
#include "cost/machine.h"
#include "graph/node.h"
#include "pappus/detail/base/array.h"
#include "pappus/detail/base/chunks.h"
#include "plan/batch.h"
#include "run/batch.h"
#include "session/launch_setting.h"
#include "threads/team.h"

namespace pappus::detail {

class launch_queue {
 public:
  /// Is given what explains the launches that wait, before somebody waits for them.
  using waiting_hook =
      std::function<void(const std::function<std::string(explain_format)>& explained)>;
  /// \param make_node   makes a node of the session for a launch
  /// \param listen      makes a recorder for a batch; it may return none
  /// \param on_waiting  where set, nothing runs before somebody waits, as where `setting` is lazy
  /// \param ask_device  see plan::batch_request
  launch_queue(threads::team& team, const cost::machine& machine,
               const threads::cancel_count& cancels,
               std::function<node_ptr(std::shared_ptr<const arrays::launch>)> make_node,
               std::function<std::unique_ptr<trace::recorder>(const plan::plan&)> listen,
               waiting_hook on_waiting, launch_setting setting, run::launch_devices devices = {},
               std::function<ops::answer(const node&, unsigned)> ask_device = {});
  ~launch_queue() { end(); }
  /// Returns when all launches are done; once the session is cancelled, those that haven't started
  /// aren't run any more. Tells of failures that nobody was told of.
  void end();

  /// Checks a launch and notes it. Throws usage_error, memory_error.
  void add(const std::shared_ptr<arrays::launch>& launch);
  /// Throws usage_error from inside of a launched function.
  static void check_outside(std::string_view what);
  /// Waits until all elements of a part are written, and returns the memory where they are. Throws
  /// launch_error, cancelled, usage_error where nobody wrote them.
  arrays::storage_ptr wait_to_read(const arrays::image_ptr& array, const regions::box& where);
  /// Waits until no launch so far reads or writes them, and notes that the host has written them.
  arrays::storage_ptr wait_to_write(const arrays::image_ptr& array, const regions::box& where);
  void wait_for(arrays::launch_number launch);
  /// Waits for the launches so far. Throws the first failure that nobody was told of.
  void wait_for_all();
  /// The memory with the elements as they are after the launches so far, whatever is launched
  /// later. The function returned waits for them, and throws as wait_to_read does.
  std::function<arrays::storage_ptr()> elements_of_now(const arrays::image_ptr& array,
                                                       const regions::box& where);

  /// How batches are planned from now on. Those that are small are verified.
  struct planned_for_tests {
    std::int64_t item_indices = 0;  ///< as in plan::batch_request
    bool always_in_turns = false;
    bool always_in_bins = false;
  };
  void plan_for_tests(const planned_for_tests& how);

  /// What waits, or else what runs: graph, plan and tasks, or a picture of the plan. Empty: all
  /// have run.
  std::string explain(explain_format format);

 private:
  using clock = std::chrono::steady_clock;
  using lock = std::unique_lock<std::mutex>;

  // With mutex_ locked.
  void add_one(const std::shared_ptr<arrays::launch>& launch);
  void add_owed(const std::shared_ptr<arrays::launch>& launch);
  void fill_first(const arrays::launch& launch);
  void leave_to_collections(arrays::launch& launch);
  void fill_first(const arrays::image_ptr& array, const regions::box& where);
  void move_away(const arrays::image_ptr& array);
  void forget_done(arrays::image& array) const;
  bool is_done(arrays::launch_number number) const;
  bool has_succeeded(arrays::launch_number number) const;
  /// Of a launch that is done; null: it hasn't failed.
  arrays::failure_ptr failure(arrays::launch_number number) const;
  /// In the current batch.
  std::optional<std::size_t> stage_of(arrays::launch_number number) const;
  /// Makes what was gathered the current batch.
  void close_batch();
  bool bring_forward(std::vector<node_ptr>& launches, const plan::plan& p) const;
  void retire();
  /// Throws why elements of a box have not been written, if one of their writers failed.
  void throw_failure(const arrays::image& array, const std::vector<arrays::launch_number>& writers,
                     const regions::box& where);
  plan::batch_request request(std::span<const node_ptr> launches) const;
  /// While this exists, a thread runs the current batch, with mutex_ unlocked.
  class driving;
  class wanting;

  /// Runs batches until `enough`. With mutex_ locked when called and when it returns.
  void drive(lock& held, const std::function<bool()>& enough);
  void wait_for(lock& held, const std::vector<arrays::launch_number>& launches);
  void tell_waiting(lock& held);
  void wake_pump();
  void pump();

  threads::team& team_;
  const cost::machine& machine_;
  const threads::cancel_count& cancels_;
  const std::function<node_ptr(std::shared_ptr<const arrays::launch>)> make_node_;
  const std::function<std::unique_ptr<trace::recorder>(const plan::plan&)> listen_;
  const waiting_hook on_waiting_;
  const run::launch_devices devices_;
  const std::function<ops::answer(const node&, unsigned)> ask_device_;
  const bool eager_;
  const bool lazy_;  ///< nothing runs before somebody waits

  mutable std::mutex mutex_;
  std::condition_variable changed_;  // for the pump, and for who waits for another's batch
  std::vector<node_ptr> gathered_;
  clock::time_point last_added_{};
  std::shared_ptr<run::batch> current_;
  std::vector<std::size_t> stages_of_;       // of current_, by the launches' numbers
  arrays::launch_number first_current_ = 1;  // of current_, or of gathered_ where there is none
  arrays::launch_number last_ = 0;
  std::multiset<arrays::launch_number> wanted_;  // those that somebody waits for
  std::map<arrays::launch_number, arrays::failure_ptr> failures_;
  unsigned drivers_ = 0;  // threads that run current_
  std::optional<planned_for_tests> for_tests_;
  bool pump_sleeps_ = false, ending_ = false;
  std::thread pump_;
};

}  // namespace pappus::detail

// Runs a batch of launches: items by ticket, in the one order that the plan gives.
//
// The order respects what launches need, and threads take items in it, so whatever an item has to
// wait for is done or in the hands of a thread that waits for nothing later. There are no queues
// and no counters of dependencies: an item computes which items it needs (plan::items_before) and
// looks at their done bits. Nothing is allocated per item but its bit.
//
// Threads take part for as long as they like: who waits for some launches leaves once these are
// done, and another goes on.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "arrays/element_users.h"
#include "arrays/file_elements.h"
#include "arrays/launch.h"
#include "graph/node.h"
#include "plan/plan.h"
#include "plan/turn.h"
#include "run/binned_values.h"
#include "run/launch_on_device.h"
#include "run/pace.h"
#include "run/partials.h"
#include "threads/team.h"
#include "trace/recorder.h"

namespace pappus::run {

class batch {
 public:
  /// \param failed_before  why an earlier launch failed; null: it didn't.
  /// \param recorder       told what runs; may be null
  /// \param devices        as many as the plan knows of
  batch(std::vector<graph::node_ptr> launches, plan::plan p, const threads::cancel_count& cancels,
        const std::function<arrays::failure_ptr(arrays::launch_number)>& failed_before,
        std::unique_ptr<trace::recorder> recorder = nullptr, launch_devices devices = {});
  ~batch();
  batch(const batch&) = delete;
  batch& operator=(const batch&) = delete;

  /// Runs items on this thread, and as they become free on others of the team, until stages are
  /// done or nothing is left to start; then waits for those that others run.
  /// \param enough  whether the caller has what it waits for
  void take_part(threads::team& team, const std::function<bool()>& enough);

  /// Whether the stage is done, and all those whose results it needs, so that it is certain whether
  /// it has failed.
  bool settled(std::size_t stage) const;
  bool finished() const noexcept { return left_.load() == 0; }
  /// Why a stage that is settled has no results; null: it has.
  arrays::failure_ptr failure(std::size_t stage);

  const plan::plan& planned() const noexcept { return plan_; }
  const std::vector<graph::node_ptr>& launches() const noexcept { return launches_; }

 private:
  /// Of a stage.
  struct task {
    std::unique_ptr<leaf_results> leaves;          ///< null: it doesn't reduce leaf by leaf
    std::unique_ptr<binned_values> bins;           ///< null: it puts no values aside
    std::unique_ptr<arrays::element_users> users;  ///< null: they aren't noted
    std::once_flag users_made;
    bool leases = false;                     ///< some of its arrays may be on the disk
    bool files = false;                      ///< some lie in files
    std::int64_t items_ahead = 0;            ///< of which chunks are announced to files
    std::atomic<std::int64_t> announced{0};  ///< items of which they were
    grain cut;
    pace parts;
    std::unique_ptr<launch_on_device> device;            ///< null: it runs on the CPU
    std::unique_ptr<std::atomic<std::uint64_t>[]> bits;  ///< an item each: it is done
    std::atomic<std::int64_t> left{0};                   ///< items that aren't
    arrays::failure_ptr failure;                         // guarded by mutex_
    std::atomic<std::int64_t> failed_item{none};         ///< whose failure it is
  };
  /// What is to be run next.
  struct position {
    std::uint64_t turn = 0, part = 0;
  };
  struct participation;
  // In the places of failed items.
  static constexpr std::int64_t none = INT64_MAX;
  static constexpr std::int64_t handed_on = -1;  ///< by a stage that this one reads from

  bool done(std::size_t stage) const noexcept { return tasks_[stage].left.load() == 0; }
  /// Stages whose results this one reads.
  template <typename F>
  void each_read(std::size_t stage, F&& f) const;
  arrays::failure_ptr own_failure(std::size_t stage) const;

  static void participate(void* context);
  void begin_record();
  bool next(position& taken);
  position after(position at) const;
  position first_of(std::size_t turn) const;
  plan::turn_parts parts_of(std::size_t turn) const;
  void run(const position& at);
  /// A tile of a turn, or a wedge between two.
  void run_tile(const plan::turn& turn, const plan::turn_parts& parts, std::int64_t part);
  void wait_for_tile(const plan::turn& turn, const plan::turn_parts& parts, std::int64_t tile);
  void run_item(std::size_t stage, std::int64_t item, const plan::turn& within);
  void call(std::size_t stage, const regions::box& indices);
  void run_indices(std::size_t stage, const regions::box& indices,
                   std::span<const detail::view_place> places);
  void announce(std::size_t stage, std::int64_t item);
  arrays::file_reads reads_of(std::size_t stage) const;
  /// \param read  what lies in files of that; null: nothing does
  void run_read(std::size_t stage, const regions::box& indices,
                std::span<const detail::view_place> places, arrays::read_elements* read);
  void run_leased(std::size_t stage, const regions::box& indices,
                  std::span<const detail::view_place> places, arrays::read_elements* read);
  void run_parts(std::size_t stage, const regions::box& indices,
                 std::span<const detail::view_place> places);
  void expect_users(std::size_t stage, int more) const;
  void run_loop(std::size_t stage, const regions::box& indices,
                std::span<const detail::view_place> places);
  arrays::element_users* users_of(std::size_t stage);
  void call_leaves(std::size_t stage, const regions::box& indices,
                   std::span<detail::view_place> places);
  void call_binned(std::size_t stage, const regions::box& indices,
                   std::span<detail::view_place> places);
  std::unique_ptr<leaf_values> fill_bins(std::size_t stage, std::int64_t leaf,
                                         const regions::box& indices,
                                         std::span<detail::view_place> places);
  void finish_items(std::size_t stage, plan::bands items);
  /// Waits until all items that this one needs are done, but those of stages in the tile at hand:
  /// they are. False: a stage that it reads from has failed, and so has this one.
  bool wait_for_needs(std::size_t stage, const regions::box& indices, const plan::turn& within);
  bool are_done(std::size_t stage, const regions::box& items) const;
  void fail(std::size_t stage, std::int64_t item, arrays::failure_ptr why);
  bool cancelled(std::size_t stage) const;
  template <typename Ready>
  void wait_until(Ready&& ready);
  void tell_waiting();

  const std::vector<graph::node_ptr> launches_;
  const plan::plan plan_;
  const threads::cancel_count& cancels_;
  const std::unique_ptr<trace::recorder> recorder_;
  const launch_devices devices_;
  std::atomic<threads::team*> team_{nullptr};  // of who took part last
  std::vector<task> tasks_;
  std::atomic<std::uint64_t> cursor_;  // a packed position; past the last turn: nothing is left
  std::atomic<std::int64_t> left_{0};  // items of all stages that aren't done

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::atomic<unsigned> waiting_{0};
};

/// Whether this thread runs a launch's function: it must not wait for launches.
bool in_launch() noexcept;

}  // namespace pappus::run

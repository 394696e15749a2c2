// What a session has on one device: memory, queues, and kernels ready to run.
//
// Used by one thread at a time: the one that holds on().lock.
#pragma once

#include <atomic>
#include <cstdint>
#include <initializer_list>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "devices/registry.h"
#include "memory/device_memory.h"

namespace pappus::chunk_loop {

/// A kernel's name in an operator's text, and its version for the host.
struct kernel_entry {
  std::string_view name;
  devices::host_kernel host = nullptr;
  std::size_t group = 0;  ///< work-items that share local memory; 0: the device chooses
};

/// A whole program: an operator's text, maybe behind the text of an element function.
struct program {
  std::string label;  ///< for traces and messages
  std::shared_ptr<const std::string> text;
  std::shared_ptr<const void> host_context;  ///< what host functions need of the stage
  std::shared_ptr<const devices::legible_parts> legible{};  ///< see devices::kernel_source
};

/// The one copy of a text: equal texts have equal addresses while somebody holds them.
std::shared_ptr<const std::string> interned(std::string text);

/// An operator's text that calls no element function: "device_ops/text/sort.cl".
const program& fixed_program(std::string_view path);

/// Blocks until a queue runs nothing more, and ignores errors: one was thrown already.
void bring_to_rest(devices::queue& queue);

class device_session {
 public:
  device_session(devices::attached_ptr on, std::size_t memory_limit,
                 std::shared_ptr<memory::pool> host);
  ~device_session();

  devices::attached& on() const noexcept { return *memory_->on(); }
  const devices::properties& about() const noexcept { return on().about(); }
  memory::device_memory& memory() const noexcept { return *memory_; }
  /// Whether kernels are host functions, which need no device code.
  bool runs_on_host() const noexcept { return about().speaks == devices::dialect::host; }

  devices::queue& uploads() { return *uploads_; }
  devices::queue& kernels() { return *kernels_; }
  devices::queue& downloads() { return *downloads_; }

  /// Kernels and copies enqueued from now on count as this job's: see last_job().
  void work_for(const void* job) noexcept { job_ = job; }
  /// The job that last_kernel() belongs to.
  const void* last_job() const noexcept { return last_job_; }
  /// Kernels and copies enqueued from now on wait for an operation of another queue.
  void kernels_wait_for(devices::event what) { awaited_.push_back(std::move(what)); }
  /// The newest kernel or copy among kernels().
  const devices::event& last_kernel() const noexcept { return last_kernel_; }
  /// Enqueues a copy between buffers of the device, in order with kernels.
  void copy(const devices::buffer& from, std::size_t from_offset, devices::buffer& to,
            std::size_t to_offset, std::size_t bytes);
  /// Blocks until a queue has copied bytes to the host. When that fails, the queue is at rest: `to`
  /// may be freed.
  void read_and_wait(devices::queue& queue, const devices::buffer& from, std::size_t offset,
                     void* to, std::size_t bytes);
  /// After an operation failed: blocks until no queue runs anything, so that what operations used
  /// may be freed. \param lost  the device is
  void come_to_rest(bool lost) noexcept;
  /// After that: gives up copies and warm buffers, and replaces the queues, for a failed one may
  /// run nothing more. Of a lost device nothing is wanted.
  void start_anew() noexcept;
  /// Replaces the queues alone.
  void renew_queues();

  /// Work-items for kernels in which each walks a block of rows: few on a device that is like a
  /// CPU, else enough to keep it busy.
  std::size_t block_items(std::int64_t rows) const;

  /// Enqueues a kernel on kernels(); builds it at first use.
  devices::event launch(const program& what, const kernel_entry& entry, std::size_t items,
                        std::initializer_list<devices::argument> arguments) {
    return launch(what, entry, items, std::span(arguments.begin(), arguments.size()));
  }
  devices::event launch(const program& what, const kernel_entry& entry, std::size_t items,
                        std::span<const devices::argument> arguments);
  /// Whether launch() would find the kernel built.
  bool is_built(const program& what, const kernel_entry& entry) const;

  /// Whether a stage has read rows of this set here before. If so it may happen again, and copies
  /// are worth keeping.
  bool remembers(const detail::rows_ptr& set) const;
  void remember(const detail::rows_ptr& set);

  /// Drops all kernels when there are very many. No operation may be under way.
  void forget_old_kernels();

  // Totals since the session began, for explain_analyze. Read by any thread.
  std::atomic<std::int64_t> launches{0};
  std::atomic<double> uploaded_bytes{0}, downloaded_bytes{0}, in_place_bytes{0}, build_seconds{0},
      moved_bytes{0};  ///< of rows that it had to give up to make room

 private:
  const devices::kernel& built(const program& what, const kernel_entry& entry);
  void make_queues();
  devices::kernel_source source_of(const program& what, const kernel_entry& entry) const;

  std::shared_ptr<memory::device_memory> memory_;
  std::unique_ptr<devices::queue> uploads_, kernels_, downloads_;
  std::vector<devices::event> awaited_;
  std::vector<std::weak_ptr<const detail::row_set>> read_before_;
  devices::event last_kernel_;
  const void *job_ = nullptr, *last_job_ = nullptr;  // compared, never followed
  struct kernel_key {
    const void* text;
    const void* context;
    std::string_view entry;
    auto operator<=>(const kernel_key&) const = default;
  };
  struct kernel_slot {
    program kept;  // keeps alive what the key's addresses point to
    std::unique_ptr<devices::kernel> kernel;
  };
  kernel_key key_of(const program& what, const kernel_entry& entry) const;
  std::map<kernel_key, kernel_slot> built_;
};

}  // namespace pappus::chunk_loop

// A queue's operations that nobody has waited for.
//
// OpenCL tells an operation's failure only through the operation's event, and what an in-order
// queue does with the operations behind a failed one is the driver's business. So the events of all
// operations are kept until somebody waits; each is looked at then, and the first that failed is
// reported.
//
// The list also knows which reads have brought their bytes no further than a slot of pinned memory
// (staging.h). They are copied to where they belong when the operation comes off the list, if it
// and those before it succeeded. A queue that is finished or destroyed has none left, whatever
// failed, so memory that somebody gives back after that isn't written to.
#pragma once

#include <cstddef>
#include <deque>
#include <exception>
#include <memory>
#include <string>

#include "devices/opencl/context.h"
#include "devices/opencl/staging.h"

namespace pappus::devices::opencl {

struct operation {
  event done;
  const char* what;                           // "write"
  std::shared_ptr<const std::string> kernel;  // its name; null: not a launch
  std::size_t amount;                         // bytes or, of a launch, work-items
  // Of a piece of a staged read: what has its bytes, where they belong, how many they are.
  pinned_slot* slot = nullptr;
  std::byte* to = nullptr;  // null: nobody wants them
  std::size_t piece_bytes = 0;

  std::string text() const;
};

class operations_under_way {
 public:
  explicit operations_under_way(context& on) : on_(on) {}

  bool empty() const noexcept { return list_.empty(); }
  void add(operation op);
  /// The newest operation, whose event was enqueued last, is a piece of a read, with its bytes in a
  /// slot that is the operation's until it is settled.
  void newest_is_read(pinned_slot& slot, std::byte* to, std::size_t bytes) noexcept;
  /// Nobody wants the bytes of the newest operations.
  void forget_newest(std::size_t count) noexcept;

  // Operations are settled when they are done: taken off the list, their failure kept.

  /// Waits for staged reads up to an operation, null: for all, and settles what comes before them:
  /// each read's bytes are fetched while the bus fills the slots of those behind it. Leaves all to
  /// whoever waits next where the driver refuses to wait.
  void settle_reads(const event& last) noexcept;
  /// The same for the oldest of all staged reads. False: there is none, or the driver refused.
  bool settle_oldest_read() noexcept { return settle_read(list_.size()) > 0; }
  /// Those up to an operation that is done, null: all.
  void settle(const event& last) noexcept;
  /// Throws the first failure not yet thrown.
  void report();

 private:
  void settle_front() noexcept;
  std::size_t settle_read(std::size_t among) noexcept;
  std::size_t count_to(const event& last) const noexcept;

  context& on_;
  std::deque<operation> list_;
  std::exception_ptr failure_;  // the first not yet reported
};

}  // namespace pappus::devices::opencl

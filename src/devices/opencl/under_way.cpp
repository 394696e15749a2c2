#include "devices/opencl/under_way.h"

#include <algorithm>
#include <utility>

#include "base/text.h"

namespace pappus::devices::opencl {
namespace {

// More operations than this are under way only where nobody waits; then finished ones are dropped.
constexpr std::size_t under_way_max = 128;

cl_event event_of(const operation& op) { return static_cast<cl_event>(op.done.get()); }

}  // namespace

std::string operation::text() const {
  if (!kernel) return std::string(what) + " of " + base::bytes_text(static_cast<double>(amount));
  return "launch of " + *kernel + " with " + std::to_string(amount) + " work-items";
}

void operations_under_way::add(operation op) {
  list_.push_back(std::move(op));
  if (list_.size() <= under_way_max) return;
  cl_int status = CL_QUEUED;
  on_.cl.GetEventInfo(event_of(list_.front()), CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status,
                      &status, nullptr);
  if (status <= CL_COMPLETE) settle_front();
}

void operations_under_way::newest_is_read(pinned_slot& slot, std::byte* to,
                                          std::size_t bytes) noexcept {
  operation& op = list_.back();
  op.slot = &slot;
  op.to = to;
  op.piece_bytes = bytes;
  slot.used = op.done;
  slot.full = true;
}

void operations_under_way::forget_newest(std::size_t count) noexcept {
  for (std::size_t i = std::min(count, list_.size()); i > 0; --i)
    list_[list_.size() - i].to = nullptr;
}

void operations_under_way::settle_front() noexcept {
  const operation op = std::move(list_.front());
  list_.pop_front();
  if (op.slot) op.slot->full = false;
  if (failure_) return;
  try {
    cl_int status = CL_COMPLETE;
    const cl_int code = on_.cl.GetEventInfo(event_of(op), CL_EVENT_COMMAND_EXECUTION_STATUS,
                                            sizeof status, &status, nullptr);
    if (code != CL_SUCCESS) on_.check(code, op.text());
    if (status < 0) on_.check(status, op.text());
    // Where the driver couldn't even wait, the bus may be at work still.
    if (op.to && status == CL_COMPLETE) on_.pinned->copy(op.to, op.slot->bytes, op.piece_bytes);
  } catch (...) {
    failure_ = std::current_exception();
  }
}

// Of the oldest read among the first operations. Returns how many were settled.
std::size_t operations_under_way::settle_read(std::size_t among) noexcept {
  const auto end = list_.begin() + static_cast<std::ptrdiff_t>(among);
  const auto read =
      std::find_if(list_.begin(), end, [](const operation& op) { return op.slot != nullptr; });
  if (read == end) return 0;
  const cl_event done = event_of(*read);
  const cl_int code = on_.cl.WaitForEvents(1, &done);
  if (code != CL_SUCCESS && code != CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST) return 0;
  const auto count = static_cast<std::size_t>(read - list_.begin()) + 1;
  for (std::size_t i = 0; i < count; ++i) settle_front();
  return count;
}

void operations_under_way::settle_reads(const event& last) noexcept {
  std::size_t among = count_to(last);
  while (const std::size_t settled = settle_read(among)) among -= settled;
}

void operations_under_way::settle(const event& last) noexcept {
  for (std::size_t left = count_to(last); left > 0; --left) settle_front();
}

// 0: it was settled.
std::size_t operations_under_way::count_to(const event& last) const noexcept {
  if (!last) return list_.size();
  const auto found = std::find_if(list_.begin(), list_.end(),
                                  [&](const operation& op) { return op.done == last; });
  return found == list_.end() ? 0 : static_cast<std::size_t>(found - list_.begin()) + 1;
}

void operations_under_way::report() {
  if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
}

}  // namespace pappus::devices::opencl

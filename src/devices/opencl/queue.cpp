#include "devices/opencl/queue.h"

#include <algorithm>
#include <utility>

#include "pappus/detail/base/integers.h"

namespace pappus::devices::opencl {
namespace {

cl_event handle_of(const event& e) { return static_cast<cl_event>(e.get()); }
const opencl_buffer& of_this(const buffer& b) { return static_cast<const opencl_buffer&>(b); }

}  // namespace

opencl_queue::opencl_queue(context& on) : on_(on), under_way_(on) {
  cl_int code = CL_SUCCESS;
  on_.queues.reserve(on_.queues.size() + 1);
  handle_ = on_.cl.CreateCommandQueue(on_.open(), on_.id, 0, &code);
  on_.check(code, "making a command queue");
  on_.queues.push_back(this);
}

opencl_queue::~opencl_queue() {
  under_way_.settle_reads(nullptr);
  on_.cl.Finish(handle_);  // nobody is left to hear of a failure
  under_way_.settle(nullptr);
  on_.cl.ReleaseCommandQueue(handle_);
  std::erase(on_.queues, this);
}

// The events an operation waits for. OpenCL hands a queue's operations to the device when it likes;
// unless those we wait for were handed over, waiting may last forever (OpenCL 1.2, 5.13).
cl_uint opencl_queue::set_waits(std::span<const event> after) {
  waits_.clear();
  for (const event& e : after)
    if (e) waits_.push_back(handle_of(e));
  if (!waits_.empty())
    for (opencl_queue* other : on_.queues)
      if (other != this && other->unflushed_) other->flush();
  return static_cast<cl_uint>(waits_.size());
}

void opencl_queue::check_range(const buffer& b, std::size_t offset, std::size_t bytes,
                               const char* what) const {
  if (offset <= b.bytes && bytes <= b.bytes - offset) return;
  throw device_error(fault::launch_failed, on_.about.name,
                     std::string(what) + ": expected bytes within a buffer of " +
                         std::to_string(b.bytes) + " bytes, got " + std::to_string(bytes) +
                         " bytes at " + std::to_string(offset));
}

event opencl_queue::enqueued(cl_int code, cl_event done, operation op) {
  if (code != CL_SUCCESS) on_.check(code, op.text());
  unflushed_ = true;
  const library* cl = &on_.cl;
  op.done = event(static_cast<void*>(done),
                  [cl](void* e) { cl->ReleaseEvent(static_cast<cl_event>(e)); });
  event result = op.done;
  under_way_.add(std::move(op));
  return result;
}

// An operation of no bytes, which OpenCL refuses. It is ordered like any other all the same.
event opencl_queue::nothing(std::span<const event> after, const char* what) {
  const cl_uint count = set_waits(after);
  cl_event done = nullptr;
  const cl_int code = on_.cl.EnqueueMarkerWithWaitList(handle_, count, waits(), &done);
  return enqueued(code, done, {{}, what, nullptr, 0});
}

event opencl_queue::write(buffer& to, std::size_t offset, const void* from, std::size_t bytes,
                          std::span<const event> after) {
  check_range(to, offset, bytes, "write");
  if (bytes == 0) return nothing(after, "write");
  const transfer what{of_this(to).handle, offset, bytes, bytes};
  if (on_.pinned && on_.pinned->takes(bytes))
    return write_staged(what, static_cast<const std::byte*>(from), after);
  return write_directly(what, from, after);
}

event opencl_queue::read(const buffer& from, std::size_t offset, void* to, std::size_t bytes,
                         std::span<const event> after) {
  check_range(from, offset, bytes, "read");
  if (bytes == 0) return nothing(after, "read");
  const transfer what{of_this(from).handle, offset, bytes, bytes};
  if (on_.pinned && on_.pinned->takes(bytes))
    return read_staged(what, static_cast<std::byte*>(to), after);
  return read_directly(what, to, after);
}

event opencl_queue::write_directly(const transfer& what, const void* from,
                                   std::span<const event> after) {
  const cl_uint count = set_waits(after);
  cl_event done = nullptr;
  const cl_int code = on_.cl.EnqueueWriteBuffer(handle_, what.memory, CL_FALSE, what.offset,
                                                what.bytes, from, count, waits(), &done);
  return enqueued(code, done, {{}, "write", nullptr, what.all_bytes});
}

event opencl_queue::read_directly(const transfer& what, void* to, std::span<const event> after) {
  const cl_uint count = set_waits(after);
  cl_event done = nullptr;
  const cl_int code = on_.cl.EnqueueReadBuffer(handle_, what.memory, CL_FALSE, what.offset,
                                               what.bytes, to, count, waits(), &done);
  return enqueued(code, done, {{}, "read", nullptr, what.all_bytes});
}

// The first piece waits for what the whole does, and the others for the first. Without slots what
// is left goes directly.
event opencl_queue::write_staged(const transfer& all, const std::byte* from,
                                 std::span<const event> after) {
  event done;
  transfer piece = all;
  for (std::size_t at = 0; at < all.bytes; at += piece.bytes, after = {}) {
    pinned_slot* const slot = on_.pinned->for_write();
    piece.offset = all.offset + at;
    piece.bytes = all.bytes - at;
    if (!slot) return write_directly(piece, from + at, after);
    piece.bytes = std::min(piece.bytes, on_.pinned->slot_bytes());
    on_.pinned->copy(slot->bytes, from + at, piece.bytes);
    slot->used = done = write_directly(piece, slot->bytes, after);
    flush();  // so that the device takes it while the next slot is filled
  }
  return done;
}

event opencl_queue::read_staged(const transfer& all, std::byte* to, std::span<const event> after) {
  event done;
  transfer piece = all;
  std::size_t pieces = 0;
  try {
    for (std::size_t at = 0; at < all.bytes; at += piece.bytes, after = {}) {
      pinned_slot* const slot = slot_for_read();
      piece.offset = all.offset + at;
      piece.bytes = all.bytes - at;
      if (!slot) return read_directly(piece, to + at, after);
      piece.bytes = std::min(piece.bytes, on_.pinned->slot_bytes());
      done = read_directly(piece, slot->bytes, after);
      under_way_.newest_is_read(*slot, to + at, piece.bytes);
      ++pieces;
    }
  } catch (...) {  // who called knows of no read
    under_way_.forget_newest(pieces);
    throw;
  }
  return done;
}

// Where all are taken, the oldest reads are fetched: this queue's, else another's. Null: there are
// none.
pinned_slot* opencl_queue::slot_for_read() {
  while (true) {
    if (pinned_slot* const slot = on_.pinned->for_read()) return slot;
    const bool settled = under_way_.settle_oldest_read() ||
                         std::any_of(on_.queues.begin(), on_.queues.end(), [](opencl_queue* q) {
                           return q->under_way_.settle_oldest_read();
                         });
    if (!settled) return nullptr;
  }
}

event opencl_queue::copy(const buffer& from, std::size_t from_offset, buffer& to,
                         std::size_t to_offset, std::size_t bytes, std::span<const event> after) {
  check_range(from, from_offset, bytes, "copy from");
  check_range(to, to_offset, bytes, "copy to");
  if (bytes == 0) return nothing(after, "copy");
  const cl_uint count = set_waits(after);
  cl_event done = nullptr;
  const cl_int code =
      on_.cl.EnqueueCopyBuffer(handle_, of_this(from).handle, of_this(to).handle, from_offset,
                               to_offset, bytes, count, waits(), &done);
  return enqueued(code, done, {{}, "copy", nullptr, bytes});
}

event opencl_queue::fill(buffer& to, std::size_t offset, std::size_t bytes, std::uint8_t value,
                         std::span<const event> after) {
  check_range(to, offset, bytes, "fill");
  if (bytes == 0) return nothing(after, "fill");
  // GPUs store pattern by pattern, so the widest that fits is best; on a CPU one byte is a memset.
  unsigned char pattern[16];
  std::fill(std::begin(pattern), std::end(pattern), value);
  std::size_t width = on_.about.like_cpu ? 1 : sizeof pattern;
  while (offset % width != 0 || bytes % width != 0) width /= 2;
  const cl_uint count = set_waits(after);
  cl_event done = nullptr;
  const cl_int code = on_.cl.EnqueueFillBuffer(handle_, of_this(to).handle, pattern, width, offset,
                                               bytes, count, waits(), &done);
  return enqueued(code, done, {{}, "fill", nullptr, bytes});
}

void opencl_queue::set_arguments(const opencl_kernel& k, std::span<const argument> arguments) {
  const auto refuse = [&](const std::string& text) {
    throw device_error(fault::launch_failed, on_.about.name, "launch of " + *k.name + ": " + text);
  };
  if (arguments.size() != k.arguments)
    refuse("expected " + std::to_string(k.arguments) + " arguments, got " +
           std::to_string(arguments.size()));
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const argument& a = arguments[i];
    if (a.bytes > argument_bytes_max)
      refuse("argument " + std::to_string(i) + ": expected at most " +
             std::to_string(argument_bytes_max) + " bytes, got " + std::to_string(a.bytes) +
             "; pass it in a buffer");
    const cl_mem memory = a.memory ? of_this(*a.memory).handle : nullptr;
    const void* value = a.value() ? a.value() : &memory;
    const std::size_t bytes = a.value() ? a.bytes : sizeof memory;
    const cl_int code = on_.cl.SetKernelArg(k.handle, static_cast<cl_uint>(i), bytes, value);
    if (code != CL_SUCCESS)
      on_.check(code, "launch of " + *k.name + ": passing argument " + std::to_string(i) + ", " +
                          (a.value() ? std::to_string(bytes) + " bytes" : std::string("a buffer")));
  }
}

event opencl_queue::launch(const kernel& what, const grid& size,
                           std::span<const argument> arguments, std::span<const event> after) {
  const auto& k = static_cast<const opencl_kernel&>(what);
  if (size.items == 0) return nothing(after, "launch of nothing");
  const std::size_t group = size.group ? size.group : k.group_chosen;
  if (group > k.group_max)
    throw device_error(fault::launch_failed, on_.about.name,
                       "launch of " + *k.name + ": expected at most " +
                           std::to_string(k.group_max) + " work-items a group, got " +
                           std::to_string(group));
  set_arguments(k, arguments);
  const std::size_t items = detail::round_up(size.items, group);
  const cl_uint count = set_waits(after);
  cl_event done = nullptr;
  const cl_int code = on_.cl.EnqueueNDRangeKernel(handle_, k.handle, 1, nullptr, &items, &group,
                                                  count, waits(), &done);
  return enqueued(code, done, {{}, "launch", k.name, items});
}

void opencl_queue::flush() {
  if (!unflushed_) return;
  on_.check(on_.cl.Flush(handle_), "flushing a command queue");
  unflushed_ = false;
}

void opencl_queue::wait(const event& done) {
  if (!done) return;
  under_way_.settle_reads(done);
  const cl_event handle = handle_of(done);
  const cl_int code = on_.cl.WaitForEvents(1, &handle);
  // That the operation failed is told better by its own status.
  if (code != CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST) on_.check(code, "waiting");
  under_way_.settle(done);
  if (under_way_.empty()) unflushed_ = false;
  under_way_.report();
}

void opencl_queue::finish() {
  under_way_.settle_reads(nullptr);
  const cl_int code = on_.cl.Finish(handle_);
  unflushed_ = false;
  under_way_.settle(nullptr);
  under_way_.report();
  on_.check(code, "finishing a command queue");
}

}  // namespace pappus::devices::opencl

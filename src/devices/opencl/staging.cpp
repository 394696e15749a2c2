#include "devices/opencl/staging.h"

#include <algorithm>
#include <thread>
#include <utility>

#include "devices/opencl/context.h"

namespace pappus::devices::opencl {
namespace {

// More than eight threads didn't get more out of the memory. Half of the cores are left to whoever
// computes meanwhile.
unsigned usual_threads() { return std::clamp(std::thread::hardware_concurrency() / 2, 1u, 8u); }

}  // namespace

staging::staging(context& on, const staging_sizes& sizes)
    : on_(on), sizes_(sizes), crew_(sizes.threads > 0 ? sizes.threads : usual_threads()) {}

staging::~staging() {
  for (const auto& slot : slots_) {
    on_.cl.EnqueueUnmapMemObject(maps_, slot->memory, slot->bytes, 0, nullptr, nullptr);
    on_.cl.ReleaseMemObject(slot->memory);
  }
  if (!maps_) return;
  on_.cl.Finish(maps_);
  on_.cl.ReleaseCommandQueue(maps_);
}

bool staging::is_free(pinned_slot& slot) const {
  if (slot.full) return false;
  if (!slot.used) return true;
  cl_int status = CL_QUEUED;
  on_.cl.GetEventInfo(static_cast<cl_event>(slot.used.get()), CL_EVENT_COMMAND_EXECUTION_STATUS,
                      sizeof status, &status, nullptr);
  if (status > CL_COMPLETE) return false;
  slot.used = nullptr;
  return true;
}

pinned_slot* staging::taken(std::size_t number) {
  const auto at = slots_.begin() + static_cast<std::ptrdiff_t>(number);
  std::rotate(at, at + 1, slots_.end());
  return slots_.back().get();
}

pinned_slot* staging::free_slot() {
  for (std::size_t i = 0; i < slots_.size(); ++i)
    if (is_free(*slots_[i])) return taken(i);
  return make_slot();
}

// A driver that refuses once isn't asked again: it would have to be for each copy.
pinned_slot* staging::make_slot() {
  if (refused_ || slots_.size() == sizes_.slots) return nullptr;
  refused_ = true;
  cl_int code = CL_SUCCESS;
  if (!maps_) maps_ = on_.cl.CreateCommandQueue(on_.open(), on_.id, 0, &code);
  if (code != CL_SUCCESS) return nullptr;
  const cl_mem memory = on_.cl.CreateBuffer(on_.open(), CL_MEM_READ_WRITE | CL_MEM_ALLOC_HOST_PTR,
                                            sizes_.slot_bytes, nullptr, &code);
  if (code != CL_SUCCESS) return nullptr;
  void* const bytes = on_.cl.EnqueueMapBuffer(maps_, memory, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0,
                                              sizes_.slot_bytes, 0, nullptr, nullptr, &code);
  if (code != CL_SUCCESS) {
    on_.cl.ReleaseMemObject(memory);
    return nullptr;
  }
  refused_ = false;
  slots_.push_back(std::make_unique<pinned_slot>(
      pinned_slot{.memory = memory, .bytes = static_cast<std::byte*>(bytes), .used = {}}));
  return slots_.back().get();
}

pinned_slot* staging::for_write() {
  if (pinned_slot* const slot = free_slot()) return slot;
  const auto oldest =
      std::find_if(slots_.begin(), slots_.end(), [](const auto& slot) { return !slot->full; });
  if (oldest == slots_.end()) return nullptr;
  const auto used = static_cast<cl_event>((*oldest)->used.get());
  const cl_int code = on_.cl.WaitForEvents(1, &used);
  // Whoever waits for that write hears that it failed.
  if (code != CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST)
    on_.check(code, "waiting for an earlier copy");
  (*oldest)->used = nullptr;
  return taken(static_cast<std::size_t>(oldest - slots_.begin()));
}

pinned_slot* staging::for_read() {
  const auto full =
      std::count_if(slots_.begin(), slots_.end(), [](const auto& slot) { return slot->full; });
  return static_cast<std::size_t>(full) < sizes_.read_slots ? free_slot() : nullptr;
}

}  // namespace pappus::devices::opencl

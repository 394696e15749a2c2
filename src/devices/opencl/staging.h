// Copies between host memory and a discrete GPU, by way of pinned memory.
//
// The problem: a driver can't let the bus fetch from memory that the system may move, so it copies
// such memory to some of its own first, with one thread. On an H100 (PCIe 5, driver 580) writes get
// 6.1 GB/s so and reads 9.0, and enqueuing a write blocks until all is copied. From pinned memory
// they get 52 and 55 GB/s, 92 both at once, and the call returns after 5 us.
//
// The idea: do what the driver does, with more threads. A device has slots of pinned memory. A
// write copies piece after piece into free slots, from which the bus takes one while the next is
// filled. A read has the bus fill slots; whoever waits for it has their bytes copied to where they
// belong, each slot's while the bus fills those behind it. Reads should not block: what they fetch
// is computed while the caller goes on. Only those of more than the slots hold do, for a part. On
// that machine one thread moved 8 GB/s through four slots, four moved 16 to 20 and eight 25, though
// they were started anew for each piece (copying_crew.h keeps them).
//
// What lost: pinning the host's rows where they lie, 17 GB/s on huge pages, slower on others; it
// would have to be done for each copy, for nobody tells when users' memory goes. Pinned memory that
// isn't kept: 0.25 s for 400 MiB. Having all rows in pinned memory would take it from every
// session, used or not, and files and users bring rows of their own. Small copies go directly
// (copy_bytes_min): what they take is calls, not bytes. So do those of devices whose memory is the
// host's, where a second copy would only cost.
//
// Slots are made when first needed and kept as long as the device; no session's budget counts them.
// Which operation uses a slot is the queue's (queue.cpp), when a read's bytes are fetched:
// under_way.h.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "devices/device.h"
#include "devices/opencl/copying_crew.h"
#include "devices/opencl/library.h"

namespace pappus::devices::opencl {

struct context;

struct staging_sizes {
  std::size_t copy_bytes_min = std::size_t{1} << 20;  ///< smaller copies go directly
  std::size_t slot_bytes = std::size_t{4} << 20;
  std::size_t slots = 24;
  std::size_t read_slots = 20;  ///< at most so many are reads': two chunks' and some more
  unsigned threads = 0;         ///< that copy; 0: as many as the machine's cores suggest
};

struct pinned_slot {
  cl_mem memory = nullptr;
  std::byte* bytes = nullptr;
  event used;         ///< the newest copy between it and the device
  bool full = false;  ///< has bytes that a read fetched, or will have
};

/// Used by the device's one thread.
class staging {
 public:
  staging(context& on, const staging_sizes& sizes);
  ~staging();  ///< no operation may use a slot any more
  staging(const staging&) = delete;
  staging& operator=(const staging&) = delete;

  bool takes(std::size_t bytes) const noexcept { return bytes >= sizes_.copy_bytes_min; }
  std::size_t slot_bytes() const noexcept { return sizes_.slot_bytes; }
  /// A slot to fill; blocks until the device has taken what is in it. Null: the driver gives no
  /// pinned memory, or reads have all of it.
  pinned_slot* for_write();
  /// A slot that the device may fill; null: there is none until a read's bytes are fetched, or
  /// never, as above.
  pinned_slot* for_read();
  void copy(void* to, const void* from, std::size_t bytes) noexcept { crew_.copy(to, from, bytes); }

 private:
  bool is_free(pinned_slot& slot) const;
  pinned_slot* free_slot();
  pinned_slot* make_slot();
  pinned_slot* taken(std::size_t number);

  context& on_;
  const staging_sizes sizes_;
  copying_crew crew_;
  cl_command_queue maps_ = nullptr;  // a queue of its own: mapping waits for no other operation
  std::vector<std::unique_ptr<pinned_slot>> slots_;  // the one not taken for longest comes first
  bool refused_ = false;                             // the driver gives no more
};

}  // namespace pappus::devices::opencl

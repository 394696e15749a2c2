// A device that counts what is allocated and gives no memory, and a session's memory on it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <utility>

#include "memory/device_memory.h"

namespace pappus::memory {

inline constexpr std::size_t MiB = std::size_t{1} << 20;

/// Counts what is allocated; gives no memory.
class counting_device final : public devices::device {
 public:
  class counted final : public devices::buffer {
   public:
    counted(counting_device& from, std::size_t n) : from_(from) {
      bytes = n;
      from_.held += n;
    }
    ~counted() override { from_.held -= bytes; }

   private:
    counting_device& from_;
  };

  explicit counting_device(devices::properties about) : about_(std::move(about)) {}
  const devices::properties& about() const noexcept override { return about_; }
  std::unique_ptr<devices::buffer> allocate(std::size_t bytes) override {
    ++allocations;
    if (lose) throw devices::device_error(devices::fault::lost, about_.name, "gone");
    if (held + bytes > free)
      throw devices::device_error(devices::fault::out_of_memory, about_.name, "no more");
    return std::make_unique<counted>(*this, bytes);
  }
  std::unique_ptr<devices::buffer> wrap(void* memory, std::size_t bytes) override {
    auto made = std::make_unique<counted>(*this, bytes);
    made->host = static_cast<const std::byte*>(memory);
    return made;
  }
  std::unique_ptr<devices::queue> make_queue() override { return nullptr; }
  std::unique_ptr<devices::kernel> build(const devices::kernel_source&) override { return nullptr; }
  bool is_built(const devices::kernel_source&) const override { return false; }

  std::size_t held = 0;                                        ///< bytes of living buffers
  std::size_t free = std::numeric_limits<std::size_t>::max();  ///< refuses to hold more
  int allocations = 0;
  bool lose = false;

 private:
  devices::properties about_;
};

/// A session's memory on a device that counts.
struct fixture {
  explicit fixture(std::size_t limit, bool host_memory = false, std::size_t buffer_max = 1024 * MiB)
      : host(std::make_shared<pool>(64 * MiB)) {
    devices::properties about;
    about.name = "fake:0";
    about.host_memory = about.in_place = host_memory;
    about.memory_bytes = 1000 * MiB;
    about.buffer_bytes_max = buffer_max;
    auto made = std::make_unique<counting_device>(about);
    device = made.get();
    on = std::make_shared<devices::attached>(std::move(made));
    memory = std::make_unique<device_memory>(on, limit, host);
  }
  device_buffer_ptr keep(const detail::rows_ptr& set, std::int64_t first, std::int64_t rows,
                         std::size_t bytes) const {
    auto block = memory->acquire(bytes, "keep");
    memory->keep(set, first, rows, block);
    return block;
  }

  std::shared_ptr<pool> host;
  counting_device* device = nullptr;
  devices::attached_ptr on;
  std::unique_ptr<device_memory> memory;
};

inline detail::rows_ptr some_rows() {
  return std::make_shared<detail::row_set>(
      detail::record_type{.size = 4, .align = 4, .name = "row"});
}

}  // namespace pappus::memory

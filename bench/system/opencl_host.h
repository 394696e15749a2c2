// What the hand-written OpenCL versions share: the devices they run on, and the API's calls with
// errors turned into exceptions and handles released by their owners.
//
// A device has a context and three queues of its own, in order: uploads, kernels, downloads. Only
// events order them, so copies of one chunk overlap the kernels of another. A CPU's kernels use the
// host's rows where they lie instead.
//
// Not here: anything of the engine they are compared with, but for the table of the library's
// functions.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <type_traits>
#include <vector>

#include "devices/opencl/library.h"

namespace pappus::bench::opencl {

using library = pappus::devices::opencl::library;

/// Calls the right function of the library to let a handle go.
struct release {
  const library* cl = nullptr;
  void operator()(cl_mem handle) const { cl->ReleaseMemObject(handle); }
  void operator()(cl_event handle) const { cl->ReleaseEvent(handle); }
  void operator()(cl_kernel handle) const { cl->ReleaseKernel(handle); }
  void operator()(cl_program handle) const { cl->ReleaseProgram(handle); }
  void operator()(cl_command_queue handle) const { cl->ReleaseCommandQueue(handle); }
  void operator()(cl_context handle) const { cl->ReleaseContext(handle); }
};
template <typename Handle>
using owned = std::unique_ptr<std::remove_pointer_t<Handle>, release>;

using memory = owned<cl_mem>;
using kernel = owned<cl_kernel>;
/// Completion of an operation; empty: done already. Copies mean the same operation.
using event = std::shared_ptr<std::remove_pointer_t<cl_event>>;

/// One device. One thread at a time may use it. All calls throw std::runtime_error naming the call
/// that failed.
class device {
 public:
  device(const library& cl, cl_device_id id, std::string name);

  const std::string& name() const { return name_; }
  /// Work-items for kernels in which each walks a block of rows: four for a processor.
  std::size_t items() const { return 4 * units_; }

  /// Whether kernels can use host memory where it lies.
  bool in_place() const { return in_place_; }
  /// That memory, for kernels that leave it as it is or write what read() then makes visible.
  memory wrap(const void* data, std::size_t bytes) const;
  memory allocate(std::size_t bytes) const;
  /// Rows of a chunk for kernels that keep little of their input: `usual` where it is copied, else
  /// as many as a buffer may have.
  std::int64_t chunk_rows(std::int64_t usual, std::size_t row_bytes) const {
    const auto most = static_cast<std::int64_t>(buffer_bytes_max_ / row_bytes);
    return in_place_ ? most : usual;
  }
  /// \param definitions  lines put before the text.
  kernel build(std::string_view text, const char* function, const std::string& definitions = {});

  // Operations wait for `after` and for the earlier ones of their queue. Nothing need run before
  // flush().
  event write(const memory& to, std::size_t offset, const void* from, std::size_t bytes,
              std::initializer_list<event> after = {});
  event read(const memory& from, std::size_t offset, void* to, std::size_t bytes,
             std::initializer_list<event> after = {});
  /// One work-item a group. Arguments are memory or numbers.
  template <typename... Arguments>
  event launch(const kernel& what, std::size_t items, std::initializer_list<event> after,
               const Arguments&... arguments) {
    cl_uint index = 0;
    (set_argument(what, index++, arguments), ...);
    return enqueue(what, items, after);
  }
  /// Hands what was enqueued to the device.
  void flush();
  void wait(const event& done) const;
  /// Waits for everything.
  void finish();

 private:
  void check(cl_int code, const char* call) const;
  void set_argument(const kernel& to, cl_uint index, const memory& value) const;
  template <typename T>
    requires std::is_arithmetic_v<T>
  void set_argument(const kernel& to, cl_uint index, const T& value) const {
    check(cl_.SetKernelArg(to.get(), index, sizeof value, &value), "clSetKernelArg");
  }
  event enqueue(const kernel& what, std::size_t items, std::initializer_list<event> after);
  event event_of(cl_event handle) const { return {handle, release{&cl_}}; }
  owned<cl_command_queue> make_queue() const;

  const library& cl_;
  cl_device_id id_;
  std::string name_;
  std::size_t units_ = 1, buffer_bytes_max_ = 0;
  bool in_place_ = false;
  owned<cl_context> context_;
  owned<cl_command_queue> uploads_, kernels_, downloads_;
};
using device_list = std::vector<std::unique_ptr<device>>;

/// The OpenCL devices that a list like "cpu,opencl:0" names ("opencl": all), numbered platform by
/// platform. Throws std::runtime_error naming one that isn't there.
device_list named(std::string_view list);

/// Whether there are devices and the versions hand-written in OpenCL suit them, which have one
/// work-item a group. What is written by hand for GPUs is in CUDA (peers_cuda.py).
bool are_processors(const device_list& all);

/// The devices' names as one: "opencl:0,opencl:1".
std::string names_of(const device_list& all);

/// Rows in host memory on their way to a device's kernels, chunk by chunk: through two buffers, so
/// that an upload overlaps the kernels of the chunk before; or all of them there from the start, or
/// used where they lie.
class streamed_input {
 public:
  struct chunk {
    const memory* data;
    std::int64_t first, rows;
    event ready;
  };
  /// \param resident  uploads all rows now.
  streamed_input(device& on, const void* rows, std::size_t row_bytes, std::int64_t n,
                 std::int64_t chunk_rows, bool resident);
  std::int64_t chunks() const { return (n_ + chunk_rows_ - 1) / chunk_rows_; }
  /// Enqueues the upload of chunk i. Chunks are asked for in order, over and over.
  chunk upload(std::int64_t i);
  /// Kernels use the chunk until then.
  void used(std::int64_t i, event until);

 private:
  struct slot {
    memory data;
    event used;
  };
  slot& slot_of(std::int64_t i) { return slots_[static_cast<std::size_t>(i) % slots_.size()]; }
  const std::byte* host(std::int64_t i) const {
    return rows_ + static_cast<std::size_t>(i * chunk_rows_) * row_bytes_;
  }
  std::int64_t rows_of(std::int64_t i) const { return std::min(chunk_rows_, n_ - i * chunk_rows_); }
  std::size_t bytes_of(std::int64_t i) const {
    return static_cast<std::size_t>(rows_of(i)) * row_bytes_;
  }
  event write(std::int64_t i);

  device& on_;
  const std::byte* rows_;
  std::size_t row_bytes_;
  std::int64_t n_, chunk_rows_;
  bool stays_;
  std::vector<slot> slots_;
};

/// Results on their way to host memory, chunk by chunk: through two buffers, or written where they
/// belong.
class streamed_output {
 public:
  streamed_output(device& on, void* rows, std::size_t row_bytes, std::int64_t n,
                  std::int64_t chunk_rows);
  /// What kernels write chunk i to, after free(i).
  const memory& room(std::int64_t i) const { return rooms_[slot_of(i)]; }
  const event& free(std::int64_t i) const { return delivered_[slot_of(i)]; }
  /// Enqueues what brings chunk i to the host once it is computed.
  void deliver(std::int64_t i, const event& computed);

 private:
  std::size_t slot_of(std::int64_t i) const { return static_cast<std::size_t>(i) % rooms_.size(); }

  device& on_;
  std::byte* rows_;
  std::size_t bytes_, chunk_bytes_;
  std::vector<memory> rooms_;
  std::vector<event> delivered_;
};

/// One worker for each device, with a share of the rows.
template <typename Worker>
class crew {
 public:
  /// Shares of n rows are cut at multiples of `unit`; make(device, first row, rows) makes a worker
  /// as a unique_ptr. There may be fewer workers than devices.
  template <typename Make>
  crew(const device_list& all, std::int64_t n, std::int64_t unit, Make&& make) {
    const auto count = static_cast<std::int64_t>(all.size());
    const std::int64_t share = ((n + count - 1) / count + unit - 1) / unit * unit;
    std::int64_t begin = 0;
    for (const auto& device : all) {
      if (begin < n) workers_.push_back(make(*device, begin, std::min(share, n - begin)));
      begin += share;
    }
  }

  /// f(worker, its number) for each, on a thread of its own but for the first.
  template <typename F>
  void run(F&& f) {
    std::vector<std::exception_ptr> failed(workers_.size());
    const auto guarded = [&](std::size_t i) {
      try {
        f(*workers_[i], i);
      } catch (...) {
        failed[i] = std::current_exception();
      }
    };
    {
      std::vector<std::jthread> threads;
      for (std::size_t i = 1; i < workers_.size(); ++i) threads.emplace_back(guarded, i);
      if (!workers_.empty()) guarded(0);
    }
    for (const auto& failure : failed)
      if (failure) std::rethrow_exception(failure);
  }

  const std::vector<std::unique_ptr<Worker>>& workers() const { return workers_; }

 private:
  std::vector<std::unique_ptr<Worker>> workers_;
};

}  // namespace pappus::bench::opencl

// Runs one stage on a device of choice by its device operator, whatever the planner would do.
#pragma once

#include <cstring>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "codegen/element/element.h"
#include "device_ops/contract.h"
#include "devices/registry.h"
#include "ops/rows.h"
#include "pappus/pappus.h"
#include "run/rows_on_cpu.h"
#include "support/test_workers.h"

namespace pappus::testing {

/// A device that says it isn't like a CPU, and compiles texts that way: those for GPUs run on it.
class as_if_gpu final : public devices::device {
 public:
  /// \param memory_bytes  of its own that it says it has; 0: its memory is what the real one's is.
  explicit as_if_gpu(devices::device& real, std::size_t memory_bytes = 0)
      : real_(real), about_(real.about()) {
    about_.like_cpu = false;
    if (memory_bytes == 0) return;
    about_.memory_bytes = memory_bytes;
    about_.host_memory = false;
  }
  const devices::properties& about() const noexcept override { return about_; }
  std::unique_ptr<devices::buffer> allocate(std::size_t bytes) override {
    return real_.allocate(bytes);
  }
  std::unique_ptr<devices::buffer> wrap(void* memory, std::size_t bytes) override {
    return real_.wrap(memory, bytes);
  }
  std::unique_ptr<devices::queue> make_queue() override { return real_.make_queue(); }
  std::unique_ptr<devices::kernel> build(const devices::kernel_source& source) override {
    return real_.build(changed(source));
  }
  bool is_built(const devices::kernel_source& source) const override {
    return real_.is_built(changed(source));
  }

 private:
  static devices::kernel_source changed(devices::kernel_source source) {
    source.text = std::make_shared<const std::string>(
        "#undef LIKE_CPU\n#define LIKE_CPU 0\n#undef FOR_ROWS\n"
        "#define FOR_ROWS(row, rows) for (long row = ITEM; row < (long)(rows); row += ITEMS)\n" +
        *source.text);
    return source;
  }
  devices::device& real_;
  devices::properties about_;
};

/// A device to run a stage on. Its thread is who holds its lock: one of these at a time.
struct chosen_device {
  devices::attached_ptr real, used;
  std::string name;
  std::size_t memory_bytes = 0;  ///< 0: what it has; else rows are copied where they needn't be
};
inline constexpr std::size_t memory_with_copies = std::size_t{2} << 30;

/// Every OpenCL device that is like a CPU as if it were a GPU with very much memory.
inline std::vector<chosen_device> roomy_gpus() {
  constexpr std::size_t memory_bytes = std::size_t{16} << 30;
  std::vector<chosen_device> found;
  for (const auto& real : devices::all_devices())
    if (real->about().like_cpu)
      found.push_back({real,
                       std::make_shared<devices::attached>(
                           std::make_unique<as_if_gpu>(*real->driver, memory_bytes)),
                       real->about().name + " as if GPU with much memory", memory_bytes});
  return found;
}

/// The devices that tests of kernels' texts run on: every OpenCL device, and each as if it were a
/// GPU. Rows are used in place on one and copied to the other, in turn.
inline std::vector<chosen_device> compiling_devices() {
  std::vector<chosen_device> found;
  bool copies = false;
  for (const auto& real : devices::all_devices()) {
    if (real->about().speaks == devices::dialect::host) continue;
    found.push_back({real, real, real->about().name, copies ? memory_with_copies : 0});
    copies = !copies;
    if (real->about().like_cpu)
      found.push_back(
          {real, std::make_shared<devices::attached>(std::make_unique<as_if_gpu>(*real->driver)),
           real->about().name + " as if GPU", copies ? memory_with_copies : 0});
  }
  return found;
}

/// These, and test devices, which run functions of the host: one that is like a CPU and one that
/// isn't.
inline std::vector<chosen_device> devices_of_all_kinds() {
  auto found = compiling_devices();
  for (const char* name : {"test:seed=1+delay_us=0", "test:seed=2+delay_us=0+like=gpu"}) {
    const auto opened = devices::select(name).devices.at(0);
    found.push_back({opened, opened, name, 0});
  }
  return found;
}

/// The rows of a stage as bytes.
/// \param memory_bytes  of the device for this; 0: as chosen.
/// \param parts         only the bytes of records are sent that the stage reads.
inline std::vector<std::byte> run_on(const chosen_device& device, const detail::node& n,
                                     std::int64_t chunk_rows = 0, bool stays = false,
                                     std::size_t memory_bytes = 0, bool parts = false) {
  const std::lock_guard lock(device.real->lock);
  auto memory = std::make_shared<memory::pool>(std::size_t{4} << 30);
  chunk_loop::device_session on(device.used, memory_bytes != 0 ? memory_bytes : device.memory_bytes,
                                memory);
  test_workers team(2);
  chunk_loop::stage_run run{.node = n,
                            .inputs = {},
                            .sides = {},
                            .devices = {&on},
                            .team = team,
                            .host_memory = memory,
                            .chunk_rows = chunk_rows,
                            .stays = stays,
                            .rows_on_cpu = run::rows_on_cpu,
                            .owner = n.name};
  const auto session = n.session.lock();
  for (const auto& input : n.stage.inputs)
    run.inputs.push_back({detail::evaluate_contiguous(session, input), nullptr});
  run.rows = ops::stage_rows(n, run.inputs);
  for (const auto& side : n.stage.sides)
    run.sides.push_back(detail::evaluate_contiguous(session, side));
  if (parts) run.parts = codegen::element_of(n)->reads;
  n.op->run_by(n).devices->run(run);
  if (run.device_rows_left) run.host_rows = download(*run.device_rows_left, memory, team, "test");
  std::vector<std::byte> bytes;
  for (const auto& chunk : run.host_rows->chunks()) {
    const auto size = static_cast<std::size_t>(chunk.rows) * n.out.size;
    bytes.insert(bytes.end(), chunk.data, chunk.data + size);
  }
  run.host_rows.reset();
  run.device_rows_left.reset();
  return bytes;
}

/// Why a stage has no device text; empty: it has.
inline std::string refusal(const detail::node& n) {
  std::string all;
  for (const auto& reason : codegen::element_of(n)->reasons) all += reason + "; ";
  if (!all.empty()) return all;
  return n.op->run_by(n).devices->supports(n, false).why_not;
}

template <typename T>
std::vector<T> records_of(const std::vector<std::byte>& bytes) {
  std::vector<T> records(bytes.size() / sizeof(T));
  if (!bytes.empty()) std::memcpy(records.data(), bytes.data(), bytes.size());
  return records;
}

}  // namespace pappus::testing

#include "devices/test/state.h"

#include <cstdio>
#include <cstdlib>

#include <fmt/format.h>

#include "base/text.h"

namespace pappus::devices::test {
namespace {

std::atomic<unsigned> devices_made{0};

properties describe(const settings& how) {
  properties p;
  p.name = fmt::format("test:{}", devices_made++);
  p.model = fmt::format("test device, seed {}", how.seed);
  p.version = "1";
  p.speaks = dialect::host;
  p.like_cpu = how.like_cpu;
  p.memory_bytes = how.memory_bytes;
  p.buffer_bytes_max = how.buffer_bytes_max > 0 ? how.buffer_bytes_max : how.memory_bytes / 4;
  p.compute_units = 2;
  p.group_items_max = 256;
  return p;
}

}  // namespace

device_state::device_state(const settings& s)
    : how(s), about(describe(s)), faults(s), operations(s.seed) {}

std::optional<fault> device_state::count_call(call_kind kind) {
  if (operations.lost()) return std::nullopt;
  const auto strikes = faults.next_call(kind);
  const bool is_operation = kind >= call_kind::write && kind <= call_kind::launch;
  if (strikes != fault::lost || (is_operation && faults.numbers().coin())) return strikes;
  operations.lose(fmt::format("{} (call {}): device lost, injected by the test device",
                              to_string(kind), faults.number()));
  return std::nullopt;
}

std::optional<fault> device_state::next_call(call_kind kind) {
  const auto strikes = count_call(kind);
  if (operations.lost()) raise(*operations.lost());
  return strikes;
}

void device_state::raise(const failure& what, std::string log) const {
  throw device_error(what.what, about.name, what.text, std::move(log));
}

void device_state::die(std::string_view message) const {
  std::fputs(fmt::format("{} (seed {}): {}\n", about.name, how.seed, message).c_str(), stderr);
  std::abort();
}

// Relaxed, so that ThreadSanitizer still sees callers without a lock of their own as a race.
void device_state::trap(std::string text) const {
  const std::lock_guard lock(trap_mutex_);
  if (!trapped_) trapped_ = failure{fault::launch_failed, std::move(text)};
}

void device_state::raise_trap() const {
  std::optional<failure> found;
  {
    const std::lock_guard lock(trap_mutex_);
    found.swap(trapped_);
  }
  if (found) raise(*found);
}

only_caller::only_caller(device_state& state) : state_(state) {
  if (state.busy.exchange(true, std::memory_order_relaxed))
    state.die(
        "two threads use the device at once; whoever calls must hold devices::attached::lock");
}

only_caller::~only_caller() { state_.busy.store(false, std::memory_order_relaxed); }

test_buffer::test_buffer(state_ptr by, std::size_t size) : owner(std::move(by)), memory(size) {
  bytes = size;
  owner->bytes_in_use += size;
}

test_buffer::~test_buffer() {
  const only_caller alone(*owner);
  if (use.operations > 0)
    owner->die(fmt::format(
        "a buffer of {} is destroyed while {} operations on it are under way, the last one: {}; "
        "wait for them, or finish or destroy their queues, first",
        base::bytes_text(static_cast<double>(bytes)), use.operations, use.last));
  if (const auto at = memory.damage())
    owner->die(
        fmt::format("a buffer of {} bytes, when destroyed, was written at offset {}, by {} "
                    "or another kernel",
                    bytes, *at, last_kernel.empty() ? "nobody known" : last_kernel));
  owner->bytes_in_use -= bytes;
}

test_kernel::test_kernel(state_ptr by, kernel_source from)
    : owner(std::move(by)), source(std::move(from)) {}

test_kernel::~test_kernel() {
  const only_caller alone(*owner);
  if (use.operations > 0)
    owner->die(
        fmt::format("kernel {} is destroyed while {} launches of it are under way, the last "
                    "one: {}",
                    source.name, use.operations, use.last));
}

}  // namespace pappus::devices::test

#include "devices/test/test_device.h"

#include <fmt/format.h>

#include "base/text.h"
#include "devices/registry.h"
#include "devices/test/state.h"
#include "devices/test/test_queue.h"

namespace pappus::devices {

std::unique_ptr<device> open_test_device(std::string_view specification) {
  return std::make_unique<test::test_device>(test::parse(specification));
}

namespace test {
namespace {

std::pair<std::string, std::string> key_of(const kernel_source& source) {
  return {source.entry, source.text ? *source.text : std::string()};
}

std::string size_text(std::size_t bytes) { return base::bytes_text(static_cast<double>(bytes)); }

}  // namespace

test_device::test_device(const settings& how) : state_(std::make_shared<device_state>(how)) {}

const properties& test_device::about() const noexcept { return state_->about; }

std::unique_ptr<buffer> test_device::allocate(std::size_t bytes) {
  const only_caller alone(*state_);
  const auto strikes = state_->next_call(call_kind::allocate);
  const auto refuse = [&](std::string_view why) {
    state_->raise({fault::out_of_memory, fmt::format("a buffer of {}: {}", size_text(bytes), why)});
  };
  const auto& about = state_->about;
  if (strikes)
    refuse(fmt::format("out of memory (call {}), injected by the test device",
                       state_->faults.number()));
  if (bytes > about.buffer_bytes_max)
    refuse(fmt::format("larger than the largest possible, {}", size_text(about.buffer_bytes_max)));
  if (bytes > about.memory_bytes - state_->bytes_in_use)
    refuse(fmt::format("{} of {} are in use already", size_text(state_->bytes_in_use),
                       size_text(about.memory_bytes)));
  return std::make_unique<test_buffer>(state_, bytes);
}

std::unique_ptr<queue> test_device::make_queue() {
  const only_caller alone(*state_);
  state_->next_call(call_kind::make_queue);
  return std::make_unique<test_queue>(state_);
}

std::unique_ptr<kernel> test_device::build(const kernel_source& source) {
  const only_caller alone(*state_);
  const auto refuse = [&](std::string_view why) {
    state_->raise({fault::build_failed, fmt::format("build of {}: {}", source.name, why)},
                  std::string(why));
  };
  if (state_->next_call(call_kind::build))
    refuse(fmt::format("build failed (call {}), injected by the test device",
                       state_->faults.number()));
  if (source.host == nullptr) refuse("it has no host function, which is what this device runs");
  state_->built.insert(key_of(source));
  return std::make_unique<test_kernel>(state_, source);
}

bool test_device::is_built(const kernel_source& source) const {
  const only_caller alone(*state_);
  if (state_->operations.lost()) state_->raise(*state_->operations.lost());
  return state_->built.contains(key_of(source));
}

const std::vector<call_made>& test_device::calls() const noexcept { return state_->faults.calls(); }

const std::vector<std::uint64_t>& test_device::order() const noexcept {
  return state_->operations.order();
}

void test_device::plan(planned_fault more) { state_->faults.plan(more); }

std::size_t test_device::bytes_in_use() const noexcept { return state_->bytes_in_use; }

}  // namespace test
}  // namespace pappus::devices

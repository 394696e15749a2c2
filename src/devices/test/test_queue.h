// A queue of a test device: what each operation does when its turn comes (scheduler.h).
#pragma once

#include <string_view>

#include "devices/test/state.h"

namespace pappus::devices::test {

struct prepared_launch;

class test_queue final : public queue {
 public:
  explicit test_queue(state_ptr owner);
  ~test_queue() override;

  event write(buffer& to, std::size_t offset, const void* from, std::size_t bytes,
              std::span<const event> after) override;
  event read(const buffer& from, std::size_t offset, void* to, std::size_t bytes,
             std::span<const event> after) override;
  event copy(const buffer& from, std::size_t from_offset, buffer& to, std::size_t to_offset,
             std::size_t bytes, std::span<const event> after) override;
  event fill(buffer& to, std::size_t offset, std::size_t bytes, std::uint8_t value,
             std::span<const event> after) override;
  event launch(const kernel& what, const grid& size, std::span<const argument> arguments,
               std::span<const event> after) override;
  void flush() override;
  void wait(const event& done) override;
  void finish() override;

 private:
  operation_ptr begin(call_kind kind, std::string_view what, std::span<const event> after);
  /// Notes that the operation uses the buffer, which must be this device's.
  const test_buffer& own(operation& op, const buffer& memory);
  const test_buffer& range(operation& op, const buffer& memory, std::size_t offset,
                           std::size_t bytes);
  void take_arguments(prepared_launch& launch, operation& op, std::span<const argument> arguments);
  event enqueue(operation_ptr op);

  const state_ptr owner_;
  const std::uint64_t number_;
};

}  // namespace pappus::devices::test

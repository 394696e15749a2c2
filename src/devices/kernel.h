// A kernel as a value: device text for devices that compile, a host function for those that run in
// this process, and how it is launched.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

namespace pappus::devices {

class buffer;

enum class dialect : std::uint8_t { opencl_c, cuda, host };

/// One launch on a device that runs host functions.
struct host_launch {
  const void* context = nullptr;     ///< kernel_source::host_context
  void* const* arguments = nullptr;  ///< per argument: a buffer's memory, or the value's address
  std::size_t arguments_size = 0;
  std::size_t items = 0;  ///< work-items of the launch, padding included
};
/// Runs work-items [begin, end) of a launch.
using host_kernel = void (*)(const host_launch& launch, std::size_t begin, std::size_t end);

/// Names and lines that the cache of kernels ignores when it compares texts.
struct legible_parts {
  std::vector<std::string> names;  ///< identifiers, all declared in the text
  std::vector<std::string> lines;  ///< whole lines: comments, and #line with a file's name
};

/// What a device needs to make a kernel. Sources with equal text and entry are the same kernel.
struct kernel_source {
  std::string name;                          ///< for messages: the stage's label, "map·filter"
  std::string entry;                         ///< the kernel function in the text
  std::shared_ptr<const std::string> text;   ///< what follows the device's prelude
  host_kernel host = nullptr;                ///< the same as a host function; null: there is none
  std::shared_ptr<const void> host_context;  ///< passed to `host`
  std::shared_ptr<const legible_parts> legible{};  ///< what cache keys leave out; null: nothing
};

/// The work-items of a launch, and how many of them make a work-group; group 0: the device chooses.
struct grid {
  std::size_t items = 0;
  std::size_t group = 0;
};

/// An argument of a launch: a buffer, or a value of at most 512 bytes.
class argument {
 public:
  const buffer* memory = nullptr;
  std::size_t bytes = 0;  ///< of the value; 0 for a buffer
  /// The value; null for a buffer.
  const void* value() const noexcept {
    return memory != nullptr ? nullptr : elsewhere_ != nullptr ? elsewhere_ : own_;
  }

  argument(const buffer& b) : memory(&b) {}  // NOLINT: arguments are listed as they are
  argument(const std::unique_ptr<buffer>& b) : memory(b.get()) {}  // NOLINT
  /// `v` is read during launch().
  argument(const void* v, std::size_t n) : bytes(n), elsewhere_(v) {}
  template <typename T>
    requires std::is_arithmetic_v<T>
  argument(const T& v) : bytes(sizeof(T)) {  // NOLINT
    static_assert(sizeof(T) <= sizeof own_);
    std::memcpy(own_, &v, sizeof(T));
  }

 private:
  const void* elsewhere_ = nullptr;
  alignas(8) std::byte own_[8] = {};
};
inline constexpr std::size_t argument_bytes_max = 512;

enum class fault : std::uint8_t {
  out_of_memory,  ///< smaller requests may succeed
  build_failed,   ///< the device's compiler refused the text, or broke
  launch_failed,  ///< an operation failed; the device goes on
  lost,           ///< the device can't be used any more, and what was in its memory is gone
};

/// Something went wrong on a device. what() tells the device, the operation and the reason.
class device_error : public std::runtime_error {
 public:
  device_error(fault f, std::string device, const std::string& text, std::string build_log = {})
      : std::runtime_error(device + ": " + text),
        what_failed(f),
        device_name(std::move(device)),
        log(std::move(build_log)) {}
  fault what_failed;
  std::string device_name;
  std::string log;  ///< the compiler's words, lines numbered as in the user's text
};

}  // namespace pappus::devices

// The system's calls that move bytes between memory and files, as an interface: so that faults can
// be asked for (faulty.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

namespace pappus::io {

/// May be called by any threads. Files are descriptors.
class calls {
 public:
  virtual ~calls() = default;

  // As pread(2), pwrite(2): bytes that were transferred, maybe fewer than asked for; -errno.
  virtual std::int64_t read(int file, std::byte* to, std::size_t bytes, std::uint64_t offset) = 0;
  virtual std::int64_t write(int file, const std::byte* from, std::size_t bytes,
                             std::uint64_t offset) = 0;
  /// Sees to it that the disk has room for these bytes of a file; 0 or -errno.
  virtual std::int64_t allocate(int file, std::size_t bytes, std::uint64_t offset) = 0;
};

/// Those that PAPPUS_IO asks for: the system's own if the text is empty, else with faults
/// ("faulty:seed=7+eio=0.001"). Throws usage_error for other texts.
std::shared_ptr<calls> make_calls(std::string_view text);
/// The same for files of users', which needn't have checksums: no bit is another one.
std::shared_ptr<calls> make_calls_on_users_files(std::string_view text);

}  // namespace pappus::io

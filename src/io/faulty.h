// Calls that fail at random, as disks do. PAPPUS_IO=faulty:TEXT asks for them.
//
// TEXT: KEY=VALUE, separated by '+'. Defaults in brackets:
//   seed=7          of everything that is random [1]
//   short=0.1       probability that a call transfers a part, or nothing as a signal came [0]
//   eio=0.001       probability that it fails: EIO [0]
//   full=64MiB      beyond it in a file the disk is full: ENOSPC [never]
//   flip=0.0005     probability that one of the bits that it transfers is another one [0]
//   delay_us=50     the longest delay before a call; so requests are done in any order [0]
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

#include "io/calls.h"

namespace pappus::io {

struct faults {
  std::uint64_t seed = 1;
  double partial = 0, eio = 0, flip = 0;
  std::uint64_t full_bytes = UINT64_MAX;
  unsigned delay_us = 0;
};

/// Reads the text above. Throws usage_error naming what is allowed.
faults parse_faults(std::string_view text);

class faulty_calls final : public calls {
 public:
  faulty_calls(const faults& asked, std::shared_ptr<calls> real)
      : asked_(asked), real_(std::move(real)), state_(asked.seed) {}

  std::int64_t read(int file, std::byte* to, std::size_t bytes, std::uint64_t offset) override;
  std::int64_t write(int file, const std::byte* from, std::size_t bytes,
                     std::uint64_t offset) override;
  std::int64_t allocate(int file, std::size_t bytes, std::uint64_t offset) override;

 private:
  std::uint64_t draw() noexcept;
  bool happens(double probability) noexcept;
  /// What goes wrong before anything is transferred: 0 or -errno. May make `bytes` fewer.
  std::int64_t strike(std::size_t& bytes);

  const faults asked_;
  const std::shared_ptr<calls> real_;
  std::atomic<std::uint64_t> state_;
};

}  // namespace pappus::io

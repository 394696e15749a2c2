#include "memory/measure_disk.h"

#include <chrono>
#include <cstring>
#include <memory>
#include <vector>

#include "pappus/detail/base/hash.h"

namespace pappus::memory {
namespace {

constexpr std::size_t extent_bytes = std::size_t{32} << 20;
constexpr std::size_t extents = 8;
constexpr std::string_view owner = "measuring the disk";

/// GB/s of f(), which moves all extents.
template <typename F>
double rate_of(F&& f) {
  const auto begun = std::chrono::steady_clock::now();
  f();
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begun;
  return static_cast<double>(extents * extent_bytes) / took.count() / 1e9;
}

}  // namespace

measured_disk measure_disk(const spill_settings& settings) {
  const auto file = std::make_shared<spill_file>(settings);
  std::vector<std::byte> bytes(extent_bytes);
  for (std::uint64_t at = 0; at < bytes.size(); at += sizeof(at)) {
    const auto noise = detail::mix(at);  // some disks compress
    std::memcpy(bytes.data() + at, &noise, sizeof(noise));
  }
  const std::span<const std::byte> parts[] = {bytes};
  std::vector<spill_file::extent_ptr> written;
  measured_disk found;
  found.write_gb_per_s = rate_of([&] {
    for (std::size_t i = 0; i < extents; ++i) written.push_back(file->write(parts, owner));
  });
  found.read_gb_per_s = rate_of([&] {
    for (const auto& one : written) {
      const spill_file::part all{one.get(), 0, one->bytes(), bytes.data()};
      file->read({&all, 1}, owner);
    }
  });
  return found;
}

}  // namespace pappus::memory

// The untyped vector loops that typed loops call, at the level in use.
#include "levels/kernels.h"
#include "pappus/detail/base/stream.h"

namespace pappus::detail {

void copy_past_caches(std::byte* to, const std::byte* from, std::size_t bytes) noexcept {
  levels::own().copy_past_caches(to, from, bytes);
}

std::uint32_t running_sums(std::uint32_t before, const std::uint32_t* from, std::uint32_t* to,
                           std::int64_t n, bool past_caches) noexcept {
  return levels::own().running_sums_32(before, from, to, n, past_caches);
}
std::uint64_t running_sums(std::uint64_t before, const std::uint64_t* from, std::uint64_t* to,
                           std::int64_t n, bool past_caches) noexcept {
  return levels::own().running_sums_64(before, from, to, n, past_caches);
}

std::int64_t compress(const std::uint32_t* values, const std::uint8_t* keep, std::int64_t n,
                      std::uint32_t* to) noexcept {
  return levels::own().compress_32(values, keep, n, to);
}
std::int64_t compress(const std::uint64_t* values, const std::uint8_t* keep, std::int64_t n,
                      std::uint64_t* to) noexcept {
  return levels::own().compress_64(values, keep, n, to);
}

}  // namespace pappus::detail

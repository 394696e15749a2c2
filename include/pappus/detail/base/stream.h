// Large results leave a loop through a small buffer in L1 and go past the caches from there: a
// plain store would first read the line it is about to overwrite, and push out what is still
// needed.
//
// The copy is compiled in the library, so that loops in the user's code need no intrinsics.
#pragma once

#include <cstddef>
#include <cstdint>

namespace pappus::detail {

/// A result of more bytes than this is written past the caches.
inline constexpr std::size_t streamed_beyond_bytes = std::size_t{16} << 20;

/// Bytes a loop gathers before it calls copy_past_caches().
inline constexpr std::size_t stream_step_bytes = 4096;

/// Copies any number of bytes between any addresses; best where `to` is 64-byte aligned. What it
/// wrote is visible to whoever synchronises with this thread later.
void copy_past_caches(std::byte* to, const std::byte* from, std::size_t bytes) noexcept;

/// to[i] = before + from[0] + ... + from[i], wrapping, for n numbers; returns the last sum, or
/// `before` if n is 0. `to` may be `from`.
/// \param past_caches  write past the caches, for large results.
std::uint32_t running_sums(std::uint32_t before, const std::uint32_t* from, std::uint32_t* to,
                           std::int64_t n, bool past_caches) noexcept;
std::uint64_t running_sums(std::uint64_t before, const std::uint64_t* from, std::uint64_t* to,
                           std::int64_t n, bool past_caches) noexcept;

/// Writes the values[i] whose keep[i] is 1, not 0, next to each other to `to`, which has room for
/// n, and returns how many they are. Values have 4 or 8 bytes.
std::int64_t compress(const std::uint32_t* values, const std::uint8_t* keep, std::int64_t n,
                      std::uint32_t* to) noexcept;
std::int64_t compress(const std::uint64_t* values, const std::uint8_t* keep, std::int64_t n,
                      std::uint64_t* to) noexcept;

}  // namespace pappus::detail

#include "io/faulty.h"

#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>

#include <fmt/format.h>

#include "base/text.h"
#include "pappus/detail/base/integers.h"
#include "pappus/error.h"

namespace pappus::io {
namespace {

constexpr std::size_t block = 4096;

double parse_probability(std::string_view text, const std::string& what) {
  double number = -1;
  const auto* const end = text.data() + text.size();
  const auto [rest, status] = std::from_chars(text.data(), end, number);
  if (status != std::errc{} || rest != end || !(number >= 0 && number <= 1))
    throw usage_error(
        fmt::format("{}: expected a probability from 0 to 1, got \"{}\"", what, text));
  return number;
}

/// False: there is no such key.
bool set(faults& asked, std::string_view key, std::string_view value) {
  const auto what = fmt::format("PAPPUS_IO: faulty:{}", key);
  if (key == "seed")
    asked.seed = static_cast<std::uint64_t>(base::parse_count(value, what, 0));
  else if (key == "short")
    asked.partial = parse_probability(value, what);
  else if (key == "eio")
    asked.eio = parse_probability(value, what);
  else if (key == "flip")
    asked.flip = parse_probability(value, what);
  else if (key == "full")
    asked.full_bytes = base::parse_bytes(value, what);
  else if (key == "delay_us")
    asked.delay_us = static_cast<unsigned>(base::parse_count(value, what, 0, 1'000'000));
  else
    return false;
  return true;
}

void flip_bit(std::byte* bytes, std::size_t n, std::uint64_t random) {
  bytes[random / 8 % n] ^= static_cast<std::byte>(1U << random % 8);
}

}  // namespace

faults parse_faults(std::string_view text) {
  faults asked;
  while (!text.empty()) {
    const auto end = std::min(text.find('+'), text.size());
    const auto item = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    const auto equals = std::min(item.find('='), item.size());
    if (equals == item.size() || !set(asked, item.substr(0, equals), item.substr(equals + 1)))
      throw usage_error(
          fmt::format("PAPPUS_IO: faulty:...: expected KEY=VALUE separated by '+', with keys seed, "
                      "short, eio, full, flip, delay_us, got \"{}\"",
                      item));
  }
  return asked;
}

/// Splitmix64, which threads may share.
std::uint64_t faulty_calls::draw() noexcept {
  auto x = state_.fetch_add(0x9e3779b97f4a7c15, std::memory_order_relaxed);
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
  x = (x ^ x >> 27) * 0x94d049bb133111eb;
  return x ^ x >> 31;
}

bool faulty_calls::happens(double probability) noexcept {
  return probability > 0 && static_cast<double>(draw() >> 11) * 0x1p-53 < probability;
}

std::int64_t faulty_calls::strike(std::size_t& bytes) {
  if (asked_.delay_us > 0)
    std::this_thread::sleep_for(std::chrono::microseconds(draw() % (asked_.delay_us + 1)));
  if (happens(asked_.eio)) return -EIO;
  if (happens(asked_.partial)) {
    const auto random = draw();
    const std::size_t blocks = bytes / block;  // direct transfers end with one
    if (random % 4 == 0 || blocks == 0) return random % 8 == 0 ? -EINTR : -EAGAIN;
    bytes = (1 + random / 8 % blocks) * block;
  }
  return 0;
}

std::int64_t faulty_calls::read(int file, std::byte* to, std::size_t bytes, std::uint64_t offset) {
  if (const auto problem = strike(bytes); problem != 0) return problem;
  const auto n = real_->read(file, to, bytes, offset);
  if (n > 0 && happens(asked_.flip)) flip_bit(to, static_cast<std::size_t>(n), draw());
  return n;
}

std::int64_t faulty_calls::write(int file, const std::byte* from, std::size_t bytes,
                                 std::uint64_t offset) {
  if (const auto problem = strike(bytes); problem != 0) return problem;
  if (offset + bytes > asked_.full_bytes) return -ENOSPC;
  if (!happens(asked_.flip)) return real_->write(file, from, bytes, offset);
  const std::unique_ptr<std::byte, decltype(&std::free)> other(
      static_cast<std::byte*>(std::aligned_alloc(block, detail::round_up(bytes, block))),
      &std::free);
  if (!other) return -ENOMEM;
  std::memcpy(other.get(), from, bytes);
  flip_bit(other.get(), bytes, draw());
  return real_->write(file, other.get(), bytes, offset);
}

std::int64_t faulty_calls::allocate(int file, std::size_t bytes, std::uint64_t offset) {
  if (offset + bytes > asked_.full_bytes) return -ENOSPC;
  return real_->allocate(file, bytes, offset);
}

}  // namespace pappus::io

#include "memory/pool.h"

#include <malloc.h>
#include <sys/mman.h>

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <new>
#include <string>

#include <fmt/format.h>

#include "base/memory_scale.h"
#include "base/text.h"
#include "memory/pages.h"
#include "pappus/detail/base/integers.h"
#include "pappus/error.h"

namespace pappus::memory {
namespace {

constexpr std::size_t small_limit = std::size_t{64} << 10;  // below: the C library's allocator
constexpr std::size_t middle_step = std::size_t{64} << 10;

/// A buffer that holds a record has at least as many bytes as the record's alignment.
std::byte* small_buffer(std::size_t bytes) {
  void* data = nullptr;
  const std::size_t align = std::min<std::size_t>(std::bit_floor(bytes), 4096);
  return ::posix_memalign(&data, align, bytes) == 0 ? static_cast<std::byte*>(data) : nullptr;
}

std::byte* take_from_system(std::size_t bytes) {
  return bytes <= small_limit ? small_buffer(bytes) : map_pages(bytes, 0);
}

void give_to_system(std::byte* data, std::size_t bytes) {
  if (bytes <= small_limit)
    std::free(data);
  else
    ::munmap(data, bytes);
}

std::size_t read_number(const char* path) {
  std::ifstream file(path);
  std::size_t number = 0;
  return file >> number ? number : std::numeric_limits<std::size_t>::max();
}

}  // namespace

std::size_t pool::charged(std::size_t bytes) noexcept {
  constexpr auto most = std::numeric_limits<std::size_t>::max();
  if (bytes > most - huge_page) return most;
  const auto up = [&](std::size_t step) { return detail::round_up(bytes, step); };
  if (bytes <= base::scaled(small_limit)) return up(64);
  const auto large_step = base::scaled(huge_page);
  return bytes < large_step ? up(base::scaled(middle_step)) : up(large_step);
}

std::byte* pool::acquire(std::size_t bytes, std::string_view owner) {
  const std::size_t size = charged(bytes);
  const auto lock = lock_to_take(size, owner);
  const auto fit = warm_buffers_.find(size);
  if (fit != warm_buffers_.end()) {
    std::byte* data = fit->second.back();
    fit->second.pop_back();
    if (fit->second.empty()) warm_buffers_.erase(fit);
    warm_ -= size;
    in_use_ += size;
    return data;
  }
  make_room(size, owner);
  std::byte* data = take_from_system(size);
  if (data == nullptr)
    throw memory_error(fmt::format("{}: the system has no {} to give; {} are in use here", owner,
                                   base::bytes_text(static_cast<double>(size)),
                                   base::bytes_text(static_cast<double>(in_use_))));
  in_use_ += size;
  peak_ = std::max(peak_, in_use_ + warm_);
  return data;
}

void pool::release(std::byte* data, std::size_t bytes) noexcept {
  const std::size_t size = charged(bytes);
  std::lock_guard lock(mutex_);
  in_use_ -= size;
  try {
    warm_buffers_[size].push_back(data);
    warm_ += size;
  } catch (...) {  // no memory for the list: don't keep the buffer
    give_to_system(data, size);
  }
}

void pool::release_rest(std::byte* data, std::size_t bytes, std::size_t given) noexcept {
  if (given == 0) return release(data, bytes);
  const std::size_t size = charged(bytes);
  discharge(size - given);
  give_to_system(data, size);
}

void pool::charge(std::size_t bytes, std::string_view owner) {
  const auto lock = lock_to_take(bytes, owner);
  make_room(bytes, owner);
  in_use_ += bytes;
  peak_ = std::max(peak_, in_use_ + warm_);
}

void pool::on_shortage(const void* whose, give_back called) {
  const std::lock_guard lock(shortage_mutex_);
  std::erase_if(asked_, [&](const auto& known) { return known.first == whose; });
  if (called) asked_.emplace(asked_.begin(), whose, std::move(called));
}

bool pool::ask(std::size_t size, std::string_view owner) {
  const std::shared_lock asking(shortage_mutex_);
  bool again = false;
  for (const auto& [whose, called] : asked_) again |= called(size, owner);
  return again;
}

std::unique_lock<std::mutex> pool::lock_to_take(std::size_t size, std::string_view owner) {
  std::unique_lock lock(mutex_);
  for (bool again = true; again && size <= limit_ && in_use_ > limit_ - size;) {
    lock.unlock();
    again = ask(size, owner);
    lock.lock();
  }
  return lock;
}

void pool::discharge(std::size_t bytes) noexcept {
  std::lock_guard lock(mutex_);
  in_use_ -= bytes;
}

void pool::make_room(std::size_t size, std::string_view owner) {
  if (size > limit_ || in_use_ > limit_ - size)
    throw memory_error(fmt::format(
        "{}: needs {} more, but {} of the memory limit of {} are in use; raise the limit "
        "(PAPPUS_HOST_MEMORY or options::host_memory) or use less data",
        owner, base::bytes_text(static_cast<double>(size)),
        base::bytes_text(static_cast<double>(in_use_)),
        base::bytes_text(static_cast<double>(limit_))));
  drop_warm(limit_ - size);
}

void pool::drop_warm(std::size_t until_held) {
  while (in_use_ + warm_ > until_held && !warm_buffers_.empty()) {
    const auto largest = std::prev(warm_buffers_.end());
    give_to_system(largest->second.back(), largest->first);
    if (largest->first <= small_limit) freed_small_ += largest->first;
    warm_ -= largest->first;
    largest->second.pop_back();
    if (largest->second.empty()) warm_buffers_.erase(largest);
  }
  if (freed_small_ > std::max(limit_ / 32, std::size_t{1} << 20)) trim_small();
}

/// Has the C library give its free pages to the system, too: it would keep most of them, for more
/// small buffers, beside as many bytes that are taken as large ones.
void pool::trim_small() {
#ifdef __GLIBC__
  ::malloc_trim(0);
#endif
  freed_small_ = 0;
}

void pool::trim() {
  std::lock_guard lock(mutex_);
  drop_warm(0);
}

std::size_t pool::in_use() const {
  std::lock_guard lock(mutex_);
  return in_use_;
}
std::size_t pool::held() const {
  std::lock_guard lock(mutex_);
  return in_use_ + warm_;
}
std::size_t pool::peak() const {
  std::lock_guard lock(mutex_);
  return peak_;
}

pool::~pool() { drop_warm(0); }

std::size_t default_limit() {
  std::size_t available = std::numeric_limits<std::size_t>::max();
  std::ifstream info("/proc/meminfo");
  for (std::string word; info >> word;)
    if (word == "MemAvailable:") {
      info >> available;
      available *= 1024;
      break;
    }
  const std::size_t group = read_number("/sys/fs/cgroup/memory.max");
  const std::size_t used = read_number("/sys/fs/cgroup/memory.current");
  if (group != std::numeric_limits<std::size_t>::max() && used <= group)
    available = std::min(available, group - used);
  return available / 5 * 4;
}

}  // namespace pappus::memory

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

bool is_small(std::size_t bytes) { return bytes <= base::scaled(small_limit); }

std::byte* take_from_system(std::size_t bytes) {
  return is_small(bytes) ? small_buffer(bytes) : map_pages(bytes, 0);
}

void give_to_system(std::byte* data, std::size_t bytes) {
  if (is_small(bytes))
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
  if (is_small(bytes)) return up(64);
  const auto large_step = base::scaled(huge_page);
  return bytes < large_step ? up(base::scaled(middle_step)) : up(large_step);
}

std::byte* pool::acquire(std::size_t bytes, std::string_view owner) {
  const std::size_t size = charged(bytes);
  const auto lock = lock_to_take(size, owner);
  if (std::byte* const data = take_warm(size)) {
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
  peak_ = std::max(peak_, in_use_ + warm());
  return data;
}

/// Null: nothing fits.
std::byte* pool::take_warm(std::size_t size) noexcept {
  if (is_small(size)) return take_warm_small(size);
  const std::size_t alignment = size < huge_page ? 1 : huge_page;
  std::byte* const found = ranges_.take(size, alignment);
  if (found != nullptr || in_use_ + warm() + size <= limit_) return found;
  ranges_.merge();
  return ranges_.take(size, alignment);
}

std::byte* pool::take_warm_small(std::size_t size) noexcept {
  const auto fit = small_.find(size);
  if (fit == small_.end()) return nullptr;
  std::byte* const data = fit->second.back();
  fit->second.pop_back();
  if (fit->second.empty()) small_.erase(fit);
  warm_small_ -= size;
  return data;
}

void pool::keep_warm(std::byte* data, std::size_t size) {
  try {
    if (!is_small(size)) return ranges_.add({data, size});
    small_[size].push_back(data);
    warm_small_ += size;
  } catch (...) {  // no memory for the list: don't keep it
    if (const auto list = small_.find(size); list != small_.end() && list->second.empty())
      small_.erase(list);
    give_to_system(data, size);
  }
}

void pool::release(std::byte* data, std::size_t bytes) noexcept {
  const std::size_t size = charged(bytes);
  std::lock_guard lock(mutex_);
  in_use_ -= size;
  keep_warm(data, size);
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
  peak_ = std::max(peak_, in_use_ + warm());
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

/// The smallest ranges go first: whoever wants more may get a part of the others.
void pool::drop_warm(std::size_t until_held) {
  while (in_use_ + warm() > until_held && !ranges_.empty()) {
    const auto [data, bytes] = ranges_.take_smallest();
    // However small: it is what others left of a mapping. A process has only so many of these.
    if (::munmap(data, bytes) != 0) ::madvise(data, bytes, MADV_DONTNEED);
  }
  drop_small(until_held);
}

void pool::drop_small(std::size_t until_held) {
  while (in_use_ + warm() > until_held && !small_.empty()) {
    const auto largest = std::prev(small_.end());
    const std::size_t size = largest->first;
    give_to_system(take_warm_small(size), size);
    freed_small_ += size;
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
  return in_use_ + warm();
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

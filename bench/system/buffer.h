// Large arrays for the benchmarks: huge pages where the kernel grants them, and every page touched
// before any timing.
#pragma once

#include <sys/mman.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <new>
#include <span>
#include <type_traits>
#include <utility>

#include "system/team.h"

namespace pappus::bench {

/// `size` zeroed elements on pages of their own, aligned to 2 MiB. Owns the memory; move-only.
/// \throws std::bad_alloc where the system refuses the mapping.
template <class T>
class buffer {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  buffer() = default;
  buffer(std::int64_t size, team& workers) : size_(static_cast<std::size_t>(size)) {
    mapped_bytes_ = size_ * sizeof(T) + huge_page;
    mapping_ =
        mmap(nullptr, mapped_bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (mapping_ == MAP_FAILED) throw std::bad_alloc();
    const auto start =
        (reinterpret_cast<std::uintptr_t>(mapping_) + huge_page - 1) & ~(huge_page - 1);
    data_ = reinterpret_cast<T*>(start);
    const std::size_t bytes = size_ * sizeof(T);
    // Advice only: without huge pages the benchmark still runs, slower.
    madvise(data_, bytes, MADV_HUGEPAGE);
    workers.run_pieces(static_cast<std::int64_t>(bytes), huge_page, [&](auto begin, auto end, int) {
      for (auto byte = begin; byte < end; byte += 4096) {
        reinterpret_cast<volatile char*>(data_)[byte] = 0;
      }
    });
  }
  buffer(buffer&& other) noexcept { swap(other); }
  buffer& operator=(buffer&& other) noexcept {
    swap(other);
    return *this;
  }
  ~buffer() {
    if (mapping_) munmap(mapping_, mapped_bytes_);
  }

  T* data() const { return data_; }
  std::int64_t size() const { return static_cast<std::int64_t>(size_); }
  T& operator[](std::int64_t i) const { return data_[i]; }
  operator std::span<T>() const { return {data_, size_}; }
  operator std::span<const T>() const { return {data_, size_}; }
  std::span<T> all() const { return {data_, size_}; }

 private:
  static constexpr std::uintptr_t huge_page = std::uintptr_t{2} << 20;
  void swap(buffer& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    std::swap(mapping_, other.mapping_);
    std::swap(mapped_bytes_, other.mapped_bytes_);
  }
  T* data_ = nullptr;
  std::size_t size_ = 0;
  void* mapping_ = nullptr;
  std::size_t mapped_bytes_ = 0;
};

}  // namespace pappus::bench

// The keys that the joins of a stage look up, heard without joining anything (asked_join.h).
#pragma once

#include <algorithm>
#include <cstddef>
#include <mutex>
#include <vector>

#include "algorithms/join_index.h"
#include "cpu_ops/contract.h"
#include "cpu_ops/scattered_rows.h"
#include "pappus/detail/base/memory.h"

namespace pappus::cpu_ops {

/// The keys that joins look up, as they come.
class heard_keys final : public algorithms::key_listener {
 public:
  heard_keys(const run_context& context, std::size_t key_bytes)
      : context_(context), key_bytes_(key_bytes) {}

  void hear(const void* keys, std::size_t n) override;
  std::size_t blocks() const noexcept { return blocks_.size(); }
  const std::byte* block(std::size_t number) const { return blocks_[number].data(); }
  std::size_t keys_in(std::size_t number) const {
    return std::min(block_keys, count_ - number * block_keys);
  }
  std::size_t count() const noexcept { return count_; }

 private:
  static constexpr std::size_t block_keys = 32768;
  const run_context& context_;
  const std::size_t key_bytes_;
  std::mutex mutex_;  // guards what follows
  std::vector<detail::buffer> blocks_;
  std::size_t count_ = 0;
};

/// Leaves each key of a bucket once.
void leave_distinct(const run_context& context, std::size_t key_bytes, scattered_buffer& of);

}  // namespace pappus::cpu_ops

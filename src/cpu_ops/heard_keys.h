// The keys that the joins of a stage look up, heard without joining anything (asked_join.h).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <vector>

#include "algorithms/join_index.h"
#include "base/memory_scale.h"
#include "cpu_ops/contract.h"
#include "cpu_ops/scattered_rows.h"
#include "pappus/detail/base/memory.h"
#include "pappus/detail/base/text_key.h"

namespace pappus::cpu_ops {

/// Of the hash whose top bits say in which partition a key's rows rest. Tables take those of other
/// seeds.
inline constexpr std::uint64_t partition_seed = 0x5851f42d4c957f2d;

/// What stands for a text where it is only asked for: who has it is looked for once more in an
/// index of texts, so others may have the same.
inline std::uint64_t asked_hash(const detail::text_key& text) {
  constexpr std::uint64_t seed = 0x2545f4914f6cdd1d;  // of no index's hash
  return text.hash(seed);
}

/// Those of n texts.
detail::buffer asked_hashes(const run_context& context, const detail::text_key* texts,
                            std::size_t n);

/// The keys that joins look up, as they come; of texts their asked_hash().
class heard_keys final : public algorithms::key_listener {
 public:
  heard_keys(const run_context& context, std::size_t key_bytes, bool strings)
      : context_(context), key_bytes_(key_bytes), strings_(strings) {}

  void hear(const void* keys, std::size_t n) override;
  std::size_t blocks() const noexcept { return blocks_.size(); }
  const std::byte* block(std::size_t number) const { return blocks_[number].data(); }
  std::size_t keys_in(std::size_t number) const {
    return std::min(block_keys_, count_ - number * block_keys_);
  }
  std::size_t count() const noexcept { return count_; }

 private:
  const std::size_t block_keys_ = base::scaled<std::size_t>(32768);
  const run_context& context_;
  const std::size_t key_bytes_;
  const bool strings_;
  void add(const std::byte* keys, std::size_t n);
  std::mutex mutex_;  // guards what follows
  std::vector<detail::buffer> blocks_;
  std::size_t count_ = 0;
};

/// Leaves each key of a bucket once.
void leave_distinct(const run_context& context, std::size_t key_bytes, scattered_buffer& of);

}  // namespace pappus::cpu_ops

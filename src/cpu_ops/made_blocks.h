// Blocks of inputs whose records lie nowhere: they are made where they are read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "pappus/detail/base/chunks.h"

namespace pappus::cpu_ops {

/// Of one worker. Costs nothing where all inputs have their records.
class made_blocks {
 public:
  explicit made_blocks(std::span<const detail::rows_ptr> inputs) {
    for (std::size_t i = 0; i < inputs.size(); ++i)
      if (inputs[i]->maker() != nullptr) add(i, *inputs[i]);
  }

  /// The longest block.
  std::int64_t rows_max() const noexcept { return rows_max_; }

  /// Of rows [first, end), those that come first and are all to be made, or none of them.
  detail::record_maker::stretch next(std::int64_t first, std::int64_t end) const {
    return made_.empty() ? detail::record_maker::stretch{end}
                         : made_.front().maker->next(first, end);
  }

  /// Makes rows [first, first + n) of the inputs that need it, n <= rows_max(). What was made
  /// before goes.
  void make(std::int64_t first, std::int64_t n, const std::byte** pointers) {
    for (auto& one : made_) {
      if (one.owned.empty()) own(one);
      one.maker->make(first, n, one.memory.data());
      pointers[one.input] = one.memory.data();
    }
  }

 private:
  struct input_block {
    std::size_t input;
    const detail::record_maker* maker;
    std::size_t bytes;  ///< of the longest block
    std::span<std::byte> memory{};
    std::vector<std::max_align_t> owned{};  ///< empty: no block was made yet
  };
  static void own(input_block& one);
  void add(std::size_t input, const detail::row_set& rows);

  std::vector<input_block> made_;
  std::int64_t rows_max_ = std::numeric_limits<std::int64_t>::max();
};

}  // namespace pappus::cpu_ops

// Which bytes of its input records a stage reads.
#pragma once

#include <cstddef>
#include <vector>

#include "pappus/detail/base/columns.h"

namespace pappus::codegen {

using detail::byte_range;
using detail::byte_ranges;

/// Collects what a stage's functions read of one input.
class read_bytes {
 public:
  void add(const byte_range& range) { ranges_.push_back(range); }
  void add_all() { all_ = true; }
  /// The bytes as ascending ranges that neither overlap nor touch, rounded to words of 4 bytes
  /// where the record's size is a multiple of 4.
  byte_ranges of(std::size_t record_bytes) const;

 private:
  byte_ranges ranges_;
  bool all_ = false;
};

/// Bytes of all ranges together.
std::size_t total(const byte_ranges& ranges);

}  // namespace pappus::codegen

#include "codegen/element/read_bytes.h"
#include "pappus/detail/base/integers.h"

#include <algorithm>

namespace pappus::codegen {

byte_ranges read_bytes::of(std::size_t record_bytes) const {
  if (all_) return {{0, record_bytes}};
  const std::size_t word = record_bytes % 4 == 0 ? 4 : 1;
  auto sorted = ranges_;
  std::ranges::sort(sorted, {}, &byte_range::offset);
  byte_ranges merged;
  for (const auto& range : sorted) {
    const std::size_t begin = range.offset / word * word;
    const std::size_t end =
        std::min(detail::round_up(range.offset + range.bytes, word), record_bytes);
    if (!merged.empty() && begin <= merged.back().offset + merged.back().bytes) {
      auto& last = merged.back();
      last.bytes = std::max(last.offset + last.bytes, end) - last.offset;
    } else if (begin < end) {
      merged.push_back({begin, end - begin});
    }
  }
  return merged;
}

std::size_t total(const byte_ranges& ranges) {
  std::size_t bytes = 0;
  for (const auto& range : ranges) bytes += range.bytes;
  return bytes;
}

}  // namespace pappus::codegen

#include "algorithms/partition.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "algorithms/alignment.h"
#include "algorithms/stream.h"
#include "base/memory_scale.h"
#include "pappus/detail/base/integers.h"
#include "pappus/detail/base/stream.h"

namespace pappus::algorithms {
namespace {

constexpr std::size_t batch_rows = 512;
constexpr std::size_t any_size =
    static_cast<std::size_t>(-1);  // payload size known at run time only

template <typename Key>
Key narrow(const bits128& bits) {
  if constexpr (sizeof(Key) == 16) {
    return bits;
  } else {
    return static_cast<Key>(bits.lo);
  }
}

template <typename Key>
std::uint64_t distance_shifted(const Key& key, const Key& base, unsigned shift) {
  if constexpr (sizeof(Key) == 16) {
    __extension__ using wide = unsigned __int128;
    const wide difference = (wide{key.hi} << 64 | key.lo) - (wide{base.hi} << 64 | base.lo);
    const wide shifted = difference >> shift;
    return shifted >> 64 != 0 ? ~std::uint64_t{0} : static_cast<std::uint64_t>(shifted);
  } else {
    return static_cast<Key>(key - base) >> shift;
  }
}

template <typename Key>
void partition_numbers(const Key* keys, std::size_t n, const partition_function& function,
                       unsigned partitions, std::uint32_t* numbers) {
  if (function.how == partition_function::kind::hash) {
    const unsigned shift = 63 - function.bits;
    const std::uint64_t seed = function.seed;
    for (std::size_t i = 0; i < n; ++i) {
      numbers[i] = static_cast<std::uint32_t>(hash(keys[i], seed) >> 1 >> shift);
    }
  } else if (function.how == partition_function::kind::spread) {
    const unsigned shift = 64 - function.bits;
    for (std::size_t i = 0; i < n; ++i) {
      numbers[i] = static_cast<std::uint32_t>(detail::spread_hash::product(keys[i]) >> shift);
    }
  } else {
    const Key base = narrow<Key>(function.base);
    const std::uint64_t last = partitions - 1;
    const unsigned shift = function.bits;
    for (std::size_t i = 0; i < n; ++i) {
      const std::uint64_t number = distance_shifted(keys[i], base, shift);
      numbers[i] = static_cast<std::uint32_t>(number < last ? number : last);
    }
  }
}

}  // namespace

block_partition::block_partition(detail::memory_source& memory, unsigned ranges,
                                 unsigned partitions, std::size_t key_bytes,
                                 std::size_t payload_bytes, std::size_t expected_rows,
                                 std::string_view owner)
    : memory_(&memory),
      partitions_(partitions),
      key_bytes_(key_bytes),
      payload_bytes_(payload_bytes),
      stream_(expected_rows * (key_bytes + payload_bytes) > detail::streamed_beyond_bytes),
      owner_(owner),
      ranges_(ranges) {
  // Half a block is wasted per chain, so blocks hold about a sixteenth of a chain's expected rows.
  const std::size_t chain_rows = expected_rows / (std::size_t{ranges} * partitions + 1);
  const std::size_t largest = std::max<std::size_t>(
      64, std::bit_floor(base::scaled(64u << 10) / (key_bytes + payload_bytes)));
  block_rows_ = std::clamp<std::size_t>(std::bit_ceil(chain_rows / 16 + 1), 64, largest);
  payload_offset_ = round_up(header_bytes + block_rows_ * key_bytes, alignment_for(payload_bytes));
  block_bytes_ = payload_offset_ + round_up(block_rows_ * payload_bytes, 64);
  // A slab holds at least a block; many, when the range is large.
  const std::size_t range_bytes = expected_rows / ranges * (key_bytes + payload_bytes);
  const std::size_t most = std::max<std::size_t>(1, base::scaled(2u << 20) / block_bytes_);
  const std::size_t blocks = std::clamp<std::size_t>(range_bytes / 8 / block_bytes_, 1, most);
  slab_bytes_ = blocks * block_bytes_;
  values_at_ = detail::partition_buffers::values_at(key_bytes, payload_bytes);
  buffer_bytes_ = detail::partition_buffers::bytes(key_bytes, payload_bytes);
}

block_partition::~block_partition() = default;

block_partition::input_range& block_partition::open(unsigned range) {
  auto& entry = ranges_[range];
  if (entry == nullptr) {
    auto fresh = std::make_unique<input_range>();
    fresh->owner = this;
    fresh->chains.resize(partitions_);
    fresh->cursors.resize(partitions_);
    fresh->waiting.resize(partitions_);
    fresh->buffers = detail::buffer(*memory_, round_up(buffer_bytes_ * partitions_, 64), owner_);
    entry = std::move(fresh);
  }
  return *entry;
}

void block_partition::add_block(input_range& range, unsigned partition) {
  if (range.slabs.empty() || range.slab_used == slab_bytes_) {
    range.slabs.emplace_back(*memory_, slab_bytes_, owner_);
    range.slab_used = 0;
  }
  std::byte* block = range.slabs.back().data() + range.slab_used;
  range.slab_used += block_bytes_;
  store<std::byte*>(block, nullptr);
  chain& chain = range.chains[partition];
  if (chain.last != nullptr) {
    store(chain.last, block);
  } else {
    chain.first = block;
  }
  chain.last = block;
  chain.rows += block_rows_;
  range.cursors[partition] = {block + header_bytes, block + payload_offset_, block_rows_};
}

/// Writes the rows of a full buffer to their partition's block.
void block_partition::flush(input_range& range, unsigned partition) {
  range.waiting[partition] = 0;
  cursor& to = range.cursors[partition];
  if (to.left == 0) [[unlikely]]
    add_block(range, partition);
  const std::byte* const buffer = range.buffers.data() + partition * buffer_bytes_;
  const std::byte* const values = buffer + values_at_;
  const std::size_t keys = group_rows * key_bytes_, payload = group_rows * payload_bytes_;
  if (stream_) {
    stream_copy(to.keys, buffer, keys);
    stream_copy(to.payload, values, payload);
  } else {
    std::memcpy(to.keys, buffer, keys);
    std::memcpy(to.payload, values, payload);
  }
  to.keys += keys;
  to.payload += payload;
  to.left -= group_rows;
}

detail::partition_buffers block_partition::buffers(unsigned range, unsigned shift) {
  input_range& to = open(range);
  return {to.buffers.data(), to.waiting.data(), shift, &to,
          [](detail::partition_buffers& self, std::uint32_t partition) {
            auto& full = *static_cast<input_range*>(self.range);
            full.owner->flush(full, partition);
          }};
}

template <typename Key, std::size_t PayloadBytes>
void block_partition::append_rows(input_range& range, const std::byte* keys,
                                  const std::byte* payload, std::size_t n,
                                  const partition_function& function) {
  const std::size_t payload_bytes = PayloadBytes == any_size ? payload_bytes_ : PayloadBytes;
  const std::size_t values_at = detail::partition_buffers::values_at(sizeof(Key), payload_bytes);
  const std::size_t buffer_bytes = detail::partition_buffers::bytes(sizeof(Key), payload_bytes);
  std::byte* const buffers = range.buffers.data();
  std::uint32_t* const waiting = range.waiting.data();
  Key copy[batch_rows];  // keys may be unaligned
  std::uint32_t numbers[batch_rows];
  for (std::size_t at = 0; at < n; at += batch_rows) {
    const std::size_t rows = std::min(batch_rows, n - at);
    std::memcpy(copy, keys + at * sizeof(Key), rows * sizeof(Key));
    partition_numbers(copy, rows, function, partitions_, numbers);
    for (std::size_t i = 0; i < rows; ++i) {
      const std::uint32_t partition = numbers[i];
      std::byte* const buffer = buffers + partition * buffer_bytes;
      const std::uint32_t slot = waiting[partition]++;
      store(buffer + slot * sizeof(Key), copy[i]);
      if (payload_bytes != 0) {
        std::memcpy(buffer + values_at + slot * payload_bytes, payload + (at + i) * payload_bytes,
                    payload_bytes);
      }
      if (slot + 1 < group_rows) continue;
      flush(range, partition);
    }
  }
}

void block_partition::append(unsigned range, const std::byte* keys, const std::byte* payload,
                             std::size_t n, const partition_function& function) {
  input_range& to = open(range);
  with_key_type(key_bytes_, [&](auto key) {
    using key_type = decltype(key);
    switch (payload_bytes_) {
      case 0:
        return append_rows<key_type, 0>(to, keys, payload, n, function);
      case 4:
        return append_rows<key_type, 4>(to, keys, payload, n, function);
      case 8:
        return append_rows<key_type, 8>(to, keys, payload, n, function);
      case 16:
        return append_rows<key_type, 16>(to, keys, payload, n, function);
      default:
        return append_rows<key_type, any_size>(to, keys, payload, n, function);
    }
  });
}

void block_partition::close(unsigned range) {
  if (ranges_[range] == nullptr) return;
  input_range& closing = *ranges_[range];
  for (unsigned p = 0; p < partitions_; ++p) {
    cursor& to = closing.cursors[p];
    const std::size_t waiting = closing.waiting[p];
    if (waiting != 0) {
      if (to.left == 0) add_block(closing, p);
      const std::byte* buffer = closing.buffers.data() + p * buffer_bytes_;
      std::memcpy(to.keys, buffer, waiting * key_bytes_);
      std::memcpy(to.payload, buffer + values_at_, waiting * payload_bytes_);
    }
    closing.chains[p].rows -= to.left - waiting;
  }
  closing.buffers.reset();
  closing.cursors = {};
  closing.waiting = {};
  stream_fence();
}

std::size_t block_partition::size(unsigned partition) const {
  std::size_t total = 0;
  for (const auto& range : ranges_) {
    if (range != nullptr) total += range->chains[partition].rows;
  }
  return total;
}

}  // namespace pappus::algorithms

#include "algorithms/radix.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <utility>
#include <vector>

#include "algorithms/key_bits.h"
#include "algorithms/radix_bucket.h"
#include "algorithms/stream.h"
#include "algorithms/stretches.h"
#include "base/memory_scale.h"
#include "pappus/detail/base/integers.h"
#include "pappus/detail/base/stream.h"

namespace pappus::algorithms {
namespace {

constexpr std::size_t sequential_rows = 4096;            // fewer aren't worth waking the team
constexpr std::size_t bucket_bytes_wanted = 400u << 10;  // with as much scratch, these fit L2
constexpr std::size_t bucket_bytes_max = 800u << 10;     // larger ones leave L2: split them again
constexpr std::size_t team_bytes = 8u << 20;             // larger ones are split by the whole team
constexpr std::size_t buffers_bytes_max = 256u << 10;
static_assert(bucket_bytes_max >= buffers_bytes_max);
constexpr unsigned split_bits_max = 11;
constexpr std::size_t piece_rows = 1u << 17;
constexpr std::size_t pieces_max = 64;

/// The most that one bucket may have to be sorted by one worker at a time.
std::size_t bucket_bytes() { return base::scaled(bucket_bytes_max); }

template <typename Key, std::size_t Bytes>
class sorter {
 public:
  using side = sort_side<Key, Bytes>;

  sorter(detail::workers& team, detail::memory_source& memory, std::array<side, 2> sides,
         std::string_view owner)
      : team_(team), memory_(memory), sides_(sides), owner_(owner) {}

  /// Sorts the rows of sides[0] without changing them into sides[1]: by keys ^ flip.
  void sort_apart(std::uint64_t n, Key flip)
    requires(Bytes == 0)
  {
    flip_ = flip;
    scratch_.resize(team_.count());
    if (n <= sequential_rows) {
      for (std::uint64_t i = 0; i < n; ++i) sides_[1].keys[i] = sides_[0].keys[i] ^ flip;
      bucket_sorter<Key, Bytes>::sort(sides_[1], scratch_side(0), sides_[1], n);
      return unflip(0, n);
    }
    const auto survey = look_at(0, n, 0, flip);
    if (survey.ascending) return copy(0, n, 0, 1);
    if (survey.descending) return reverse(n);
    borrowed_ = true;
    split(0, n, 0, 1, survey, flip);
  }

  sorted_in sort(std::uint64_t n) {
    if (n <= sequential_rows) {
      bucket_sorter<Key, Bytes>::sort(sides_[0], sides_[1], sides_[0], n);
      return sorted_in::first;
    }
    const auto survey = look_at(0, n, 0);
    if (survey.ascending) return sorted_in::first;
    if (survey.descending) {
      reverse(n);
    } else {
      scratch_.resize(team_.count());
      split(0, n, 0, 1, survey);
    }
    return sorted_in::other;
  }

 private:
  // Rows that wait per bucket: whole cache lines of keys and of payload.
  static constexpr std::size_t group_rows =
      64 / std::min(sizeof(Key), Bytes == 0 ? sizeof(Key) : Bytes);
  static constexpr std::size_t group_bytes = group_rows * (sizeof(Key) + Bytes);
  static constexpr std::size_t row_bytes = sizeof(Key) + Bytes;

  static unsigned split_bits(std::uint64_t n, unsigned key_width) {
    const unsigned fit = std::bit_width(n * row_bytes / base::scaled(bucket_bytes_wanted));
    const unsigned balance = std::min<unsigned>(std::bit_width(n / sequential_rows), 6);
    const unsigned most = std::bit_width(base::scaled(buffers_bytes_max) / group_bytes) - 1;
    return std::min({std::max({fit, balance, 1u}), most, split_bits_max, key_width});
  }

  static std::size_t pieces_of(std::uint64_t n) {
    return std::clamp<std::size_t>(n / piece_rows, 1, pieces_max);
  }
  static std::uint64_t piece_start(std::uint64_t n, std::size_t piece) {
    return n / pieces_of(n) * piece + std::min<std::uint64_t>(piece, n % pieces_of(n));
  }

  key_survey<Key> look_at(std::uint64_t begin, std::uint64_t n, int from, Key flip = 0) {
    const Key* keys = sides_[from].keys + begin;
    std::vector<key_survey<Key>> parts(pieces_of(n));
    detail::parallel_chunks(team_, parts.size(), [&](std::size_t piece, unsigned) {
      // A piece starts with its predecessor's last key, so that order is checked across pieces.
      const std::uint64_t first = std::max<std::uint64_t>(piece_start(n, piece), 1) - 1;
      parts[piece] = survey_of(keys + first, piece_start(n, piece + 1) - first, flip);
    });
    key_survey<Key> all = parts[0];
    for (const key_survey<Key>& part : parts) all.add(part);
    return all;
  }

  key_survey<Key> survey_of(const Key* keys, std::uint64_t n, Key flip = 0) const {
    auto survey = key_survey<Key>::of(keys, 1, flip);
    for_each_stretch(team_, std::uint64_t{0}, n, [&](std::uint64_t begin, std::uint64_t end) {
      const std::uint64_t first = std::max<std::uint64_t>(begin, 1) - 1;
      survey.add(key_survey<Key>::of(keys + first, end - first, flip));
    });
    return survey;
  }

  void reverse(std::uint64_t n) {
    detail::parallel_chunks(team_, pieces_of(n), [&](std::size_t piece, unsigned) {
      for_each_stretch(team_, piece_start(n, piece), piece_start(n, piece + 1),
                       [&](std::uint64_t first, std::uint64_t last) {
                         for (std::uint64_t i = first; i < last; ++i)
                           sides_[1].move_row(i, sides_[0], n - 1 - i);
                       });
    });
  }

  void copy(std::uint64_t begin, std::uint64_t n, int from, int to) {
    detail::parallel_chunks(team_, pieces_of(n), [&](std::size_t piece, unsigned) {
      copy_rows(begin + piece_start(n, piece), begin + piece_start(n, piece + 1), from, to);
    });
  }

  void copy_rows(std::uint64_t begin, std::uint64_t end, int from, int to) const {
    for_each_stretch(team_, begin, end, [&](std::uint64_t first, std::uint64_t last) {
      sides_[to].at(first).copy_from(sides_[from].at(first), last - first);
    });
  }

  // Sorts rows [begin, begin + n) of sides_[from], which aren't sorted, into sides_[to], by the
  // whole team. From here on, keys are keys ^ flip.
  void split(std::uint64_t begin, std::uint64_t n, int from, int to, const key_survey<Key>& survey,
             Key flip = 0) {
    const unsigned width = width_of(static_cast<Key>(survey.most - survey.least));
    const unsigned bits = split_bits(n, width), shift = width - bits;
    const std::size_t buckets = std::size_t{1} << bits, pieces = pieces_of(n);
    detail::buffer memory(memory_, pieces * buckets * sizeof(std::uint64_t), owner_);
    auto* const starts = memory.as<std::uint64_t>();  // of a piece's rows in each bucket
    detail::parallel_chunks(team_, pieces, [&](std::size_t piece, unsigned) {
      const std::uint64_t first = piece_start(n, piece);
      count_digits(sides_[from].keys + begin + first, piece_start(n, piece + 1) - first,
                   survey.least, shift, starts + piece * buckets, buckets, flip);
    });
    std::vector<std::uint64_t> bucket_starts(buckets + 1);
    std::uint64_t at = begin;
    for (std::size_t bucket = 0; bucket < buckets; ++bucket) {
      bucket_starts[bucket] = at;
      for (std::size_t piece = 0; piece < pieces; ++piece) {
        at += std::exchange(starts[piece * buckets + bucket], at);
      }
    }
    bucket_starts[buckets] = at;
    const bool stream = n * row_bytes > detail::streamed_beyond_bytes;
    detail::parallel_chunks(team_, pieces, [&](std::size_t piece, unsigned worker) {
      const std::uint64_t first = piece_start(n, piece);
      scatter(sides_[from].at(begin + first), piece_start(n, piece + 1) - first, sides_[1 - from],
              survey.least, shift, starts + piece * buckets, buckets, stream, worker, flip);
    });
    memory.reset();
    if (borrowed_) make_spare(bucket_starts);
    sort_buckets(bucket_starts, 1 - from, to);
  }

  void sort_buckets(const std::vector<std::uint64_t>& starts, int from, int to) {
    const auto rows = [&](std::size_t bucket) { return starts[bucket + 1] - starts[bucket]; };
    std::vector<std::uint32_t> order(starts.size() - 1);
    std::iota(order.begin(), order.end(), 0u);
    std::sort(order.begin(), order.end(),  // longest first, so that workers finish together
              [&](std::uint32_t a, std::uint32_t b) { return rows(a) > rows(b); });
    std::size_t next = 0;
    for (; next < order.size() && rows(order[next]) * row_bytes > base::scaled(team_bytes);
         ++next) {
      const std::uint64_t begin = starts[order[next]], n = rows(order[next]);
      const auto survey = look_at(begin, n, from);
      if (!survey.ascending) {
        split(begin, n, from, to, survey);
      } else {
        if (from != to) copy(begin, n, from, to);
        unflip(begin, n);
      }
    }
    detail::parallel_chunks(team_, order.size() - next, [&](std::size_t item, unsigned worker) {
      const std::uint32_t bucket = order[next + item];
      if (rows(bucket) != 0) sort_alone(starts[bucket], rows(bucket), from, to, worker);
    });
  }

  // Sorts rows on one worker, splitting them while they exceed L2.
  void sort_alone(std::uint64_t begin, std::uint64_t n, int from, int to, unsigned worker) {
    if (n * row_bytes <= bucket_bytes()) {
      bucket_sorter<Key, Bytes>::sort(sides_[from].at(begin), scratch_side(worker),
                                      sides_[to].at(begin), n);
      return unflip(begin, n);
    }
    if (team_.stopping()) return;
    const Key* keys = sides_[from].keys + begin;
    const auto survey = survey_of(keys, n);
    if (survey.ascending) {
      if (from != to) copy_rows(begin, begin + n, from, to);
      return unflip(begin, n);
    }
    const unsigned width = width_of(static_cast<Key>(survey.most - survey.least));
    const unsigned bits = split_bits(n, width), shift = width - bits;
    const std::size_t buckets = std::size_t{1} << bits;
    std::vector<std::uint64_t> ends(buckets);
    count_digits(keys, n, survey.least, shift, ends.data(), buckets);
    std::exclusive_scan(ends.begin(), ends.end(), ends.begin(), begin);
    scatter(sides_[from].at(begin), n, sides_[1 - from], survey.least, shift, ends.data(), buckets,
            false, worker);
    for (std::size_t bucket = 0; bucket < buckets && !team_.stopping(); ++bucket) {
      const std::uint64_t first = bucket == 0 ? begin : ends[bucket - 1];
      if (ends[bucket] != first) sort_alone(first, ends[bucket] - first, 1 - from, to, worker);
    }
  }

  // Rows that are done get their own keys back, while they are in the cache.
  void unflip(std::uint64_t begin, std::uint64_t n) {
    if (flip_ == 0) return;
    Key* const keys = sides_[1].keys + begin;
    for_each_stretch(team_, std::uint64_t{0}, n, [&](std::uint64_t first, std::uint64_t last) {
      for (std::uint64_t i = first; i < last; ++i) keys[i] ^= flip_;
    });
  }

  // Input that isn't ours can't be written to: large buckets get another place to move to.
  void make_spare(const std::vector<std::uint64_t>& starts) {
    borrowed_ = false;
    std::uint64_t longest = 0;
    for (std::size_t i = 0; i + 1 < starts.size(); ++i)
      longest = std::max(longest, starts[i + 1] - starts[i]);
    if (longest * row_bytes <= bucket_bytes()) return;
    spare_ = detail::buffer(memory_, starts.back() * row_bytes, owner_);
    sides_[0].keys = spare_.as<Key>();
  }

  void count_digits(const Key* keys, std::uint64_t n, Key least, unsigned shift,
                    std::uint64_t* counts, std::size_t buckets, Key flip = 0) const {
    // Two sets of counters, so that equal neighbours don't wait for each other.
    std::vector<std::uint32_t> narrow(2 * buckets);
    std::uint32_t* const even = narrow.data();
    std::uint32_t* const odd = even + buckets;
    std::fill_n(counts, buckets, 0);
    const auto digit = [&](std::uint64_t i) {
      return static_cast<std::size_t>(static_cast<Key>((keys[i] ^ flip) - least) >> shift);
    };
    for (std::uint64_t begin = 0; begin < n;) {
      const std::uint64_t end = std::min(n, begin + (std::uint64_t{1} << 31));
      for_each_stretch(team_, begin, end, [&](std::uint64_t first, std::uint64_t last) {
        std::uint64_t i = first;
        for (; i + 2 <= last; i += 2) {
          ++even[digit(i)];
          ++odd[digit(i + 1)];
        }
        if (i < last) ++even[digit(i)];
      });
      for (std::size_t d = 0; d < buckets; ++d) {
        counts[d] += std::uint64_t{even[d]} + odd[d];
        even[d] = odd[d] = 0;
      }
      begin = end;
    }
  }

  // Moves rows to out; starts[d], the place of the next row with digit d, moves on with them.
  void scatter(const side& in, std::uint64_t n, const side& out, Key least, unsigned shift,
               std::uint64_t* starts, std::size_t buckets, bool stream, unsigned worker,
               Key flip = 0) {
    std::byte* const buffers = scratch_of(worker);
    const std::vector<std::uint64_t> begins(starts, starts + buckets);
    const bool complete =
        for_each_stretch(team_, std::uint64_t{0}, n, [&](std::uint64_t first, std::uint64_t last) {
          for (std::uint64_t i = first; i < last; ++i) {
            const Key key = in.keys[i] ^ flip;
            const auto d = static_cast<std::size_t>(static_cast<Key>(key - least) >> shift);
            std::byte* const buffer = buffers + d * group_bytes;
            const std::uint64_t to = starts[d]++;
            const std::size_t slot = to % group_rows;
            store(buffer + slot * sizeof(Key), key);
            if constexpr (Bytes != 0) {
              store(buffer + group_rows * sizeof(Key) + slot * Bytes, in.payload[i]);
            }
            if (slot + 1 == group_rows) {
              const std::uint64_t line = to - slot;
              if (stream && line >= begins[d]) {
                stream_copy(bytes(out.keys + line), buffer, group_rows * sizeof(Key));
                if constexpr (Bytes != 0) {
                  stream_copy(bytes(out.payload + line), buffer + group_rows * sizeof(Key),
                              group_rows * Bytes);
                }
              } else {
                write_group(out, buffer, std::max(line, begins[d]), line + group_rows);
              }
            }
          }
        });
    if (!complete) return;
    for (std::size_t d = 0; d < buckets; ++d) {
      const std::uint64_t line = starts[d] / group_rows * group_rows;
      write_group(out, buffers + d * group_bytes, std::max(line, begins[d]), starts[d]);
    }
    stream_fence();
  }

  // Writes rows [begin, end) of one group, which share it with other pieces.
  static void write_group(const side& out, const std::byte* buffer, std::uint64_t begin,
                          std::uint64_t end) {
    if (begin >= end) return;
    const std::size_t slot = begin % group_rows, n = end - begin;
    std::memcpy(out.keys + begin, buffer + slot * sizeof(Key), n * sizeof(Key));
    if constexpr (Bytes != 0) {
      std::memcpy(out.payload + begin, buffer + group_rows * sizeof(Key) + slot * Bytes, n * Bytes);
    }
  }

  static std::byte* bytes(void* pointer) { return static_cast<std::byte*>(pointer); }

  // A worker's scratch is used by scatter() and by the sorting of a bucket, never at once.
  std::byte* scratch_of(unsigned worker) {
    detail::buffer& own = scratch_[worker];
    if (own.data() == nullptr) own = detail::buffer(memory_, bucket_bytes() + 64, owner_);
    return own.data();
  }
  side scratch_side(unsigned worker) {
    std::byte* const keys = scratch_of(worker);
    std::byte* const payload = keys + bucket_bytes() / row_bytes * sizeof(Key);
    return {reinterpret_cast<Key*>(keys), reinterpret_cast<payload_of<Bytes>*>(payload)};
  }

  detail::workers& team_;
  detail::memory_source& memory_;
  std::array<side, 2> sides_;
  std::string_view owner_;
  std::vector<detail::buffer> scratch_;  // per worker
  Key flip_ = 0;                         // what sides_[1] is to be flipped by where it is done
  bool borrowed_ = false;                // sides_[0] must stay as it is
  detail::buffer spare_;
};

template <typename Key>
sorted_in sort_with(detail::workers& team, detail::memory_source& memory, const sort_buffers& b,
                    std::uint64_t n, std::size_t payload_bytes, std::string_view owner) {
  const auto run = [&](auto size) {
    constexpr std::size_t bytes = decltype(size)::value;
    using side = sort_side<Key, bytes>;
    const auto make = [](std::byte* keys, std::byte* payload) {
      return side{reinterpret_cast<Key*>(keys), reinterpret_cast<payload_of<bytes>*>(payload)};
    };
    sorter<Key, bytes> work(team, memory,
                            {make(b.keys, b.payload), make(b.other_keys, b.other_payload)}, owner);
    return work.sort(n);
  };
  switch (payload_bytes) {
    case 0:
      return run(std::integral_constant<std::size_t, 0>{});
    case 4:
      return run(std::integral_constant<std::size_t, 4>{});
    case 8:
      return run(std::integral_constant<std::size_t, 8>{});
    default:
      return run(std::integral_constant<std::size_t, 16>{});
  }
}

// Payloads of any other size: row numbers are sorted in their place, then each payload moves once.
template <typename Key, typename Row>
sorted_in sort_rows(detail::workers& team, detail::memory_source& memory, const sort_buffers& b,
                    std::uint64_t n, std::size_t payload_bytes, std::string_view owner) {
  const std::size_t side_bytes = round_up(n * sizeof(Row), 64);
  const detail::buffer numbers(memory, 2 * side_bytes, owner);
  Row* const rows = numbers.as<Row>();
  const std::size_t pieces = detail::ceil_div(n, piece_rows);
  detail::parallel_chunks(team, pieces, [&](std::size_t piece, unsigned) {
    const std::uint64_t end = std::min<std::uint64_t>(n, (piece + 1) * piece_rows);
    for (std::uint64_t i = piece * piece_rows; i < end; ++i) rows[i] = static_cast<Row>(i);
  });
  const sort_buffers inner{b.keys, numbers.data(), b.other_keys, numbers.data() + side_bytes};
  const bool in_first =
      sort_with<Key>(team, memory, inner, n, sizeof(Row), owner) == sorted_in::first;
  const Row* const sorted =
      reinterpret_cast<const Row*>(in_first ? inner.payload : inner.other_payload);
  detail::parallel_chunks(team, pieces, [&](std::size_t piece, unsigned) {
    const std::uint64_t begin = piece * piece_rows;
    const std::uint64_t end = std::min<std::uint64_t>(n, begin + piece_rows);
    for_each_stretch(team, begin, end, [&](std::uint64_t first, std::uint64_t last) {
      for (std::uint64_t i = first; i < last; ++i)
        std::memcpy(b.other_payload + i * payload_bytes, b.payload + sorted[i] * payload_bytes,
                    payload_bytes);
      if (in_first)  // keys follow their payload
        std::memcpy(b.other_keys + first * sizeof(Key), b.keys + first * sizeof(Key),
                    (last - first) * sizeof(Key));
    });
  });
  return sorted_in::other;
}

}  // namespace

sorted_in radix_sort(detail::workers& team, detail::memory_source& memory,
                     const sort_buffers& buffers, std::uint64_t n, std::size_t key_bytes,
                     std::size_t payload_bytes, std::string_view owner) {
  return with_key_type(key_bytes, [&](auto bits) {
    using key_type = std::conditional_t<sizeof(bits) == 16, wide_key, decltype(bits)>;
    switch (payload_bytes) {
      case 0:
      case 4:
      case 8:
      case 16:
        return sort_with<key_type>(team, memory, buffers, n, payload_bytes, owner);
      default:
        return n <= 0xffffffffu ? sort_rows<key_type, std::uint32_t>(team, memory, buffers, n,
                                                                     payload_bytes, owner)
                                : sort_rows<key_type, std::uint64_t>(team, memory, buffers, n,
                                                                     payload_bytes, owner);
    }
  });
}

void sort_integers(detail::workers& team, detail::memory_source& memory, const std::byte* in,
                   std::byte* out, std::uint64_t n, std::size_t bytes, std::uint64_t flip,
                   std::string_view owner) {
  const auto run = [&]<typename Key>(Key own_flip) {
    const auto side = [](const std::byte* keys) {
      return sort_side<Key, 0>{reinterpret_cast<Key*>(const_cast<std::byte*>(keys)), nullptr};
    };
    sorter<Key, 0>(team, memory, {side(in), side(out)}, owner).sort_apart(n, own_flip);
  };
  if (bytes == 4)
    run(static_cast<std::uint32_t>(flip));
  else
    run(flip);
}

}  // namespace pappus::algorithms

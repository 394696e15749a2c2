#include "algorithms/join_table.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstring>
#include <type_traits>
#include <vector>

#include "algorithms/partition.h"
#include "levels/kernels.h"

namespace pappus::algorithms {
namespace {

constexpr std::size_t batch_keys = 512;
constexpr std::size_t fetched_ahead = 64;  // keys: memory works while those before are compared
constexpr std::size_t region_bytes_wanted = 256u << 10;  // fits L2 beside the rows that fill it
constexpr unsigned region_bits_max = 9;
constexpr std::size_t prefetch_index_beyond_bytes = 512u << 10;

template <typename Row>
using entry = levels::join_entry<Row>;

// A domain's distance of a key from its base; ~0 for keys below or far above it.
template <typename Key>
std::uint64_t distance(const Key& key, const join_domain& domain) {
  if constexpr (sizeof(Key) == 16) {
    const std::uint64_t low = key.lo - domain.base.lo;
    const std::uint64_t high = key.hi - domain.base.hi - (key.lo < domain.base.lo);
    return high == 0 ? low : ~std::uint64_t{0};
  } else {
    return std::uint64_t{key} < domain.base.lo ? ~std::uint64_t{0} : key - domain.base.lo;
  }
}

}  // namespace

// Buckets found by hash.
template <typename Key, typename Row>
struct hashed_index : levels::join_buckets {
  using bucket_type = levels::join_bucket<Key, Row>;
  static constexpr unsigned width = bucket_type::width;
  static constexpr std::size_t stride = levels::join_bucket_bytes<Key, Row>;

  partition_function partition() const { return partition_function::by_hash(region_bits, seed); }
  void prefetch(std::uint64_t place) const { __builtin_prefetch(first + place * stride); }

  void find_places(const Key* keys, std::size_t n, std::uint64_t* places) const {
    if constexpr (sizeof(Key) == 4) {
      levels::own().join_places_32(*this, keys, n, places);
    } else if constexpr (sizeof(Key) == 8) {
      levels::own().join_places_64(*this, keys, n, places);
    } else {
      for (std::size_t i = 0; i < n; ++i) places[i] = place(keys[i]);
    }
  }

  bucket_type& at(std::uint64_t place) const {
    return *reinterpret_cast<bucket_type*>(first + place * stride);
  }

  // The key's entry, claiming a free one; null when its region is full.
  entry<Row>* claim(const Key& key) const {
    std::uint64_t place_now = place(key);
    for (std::uint64_t step = 0; step < region_buckets; ++step, place_now = next(place_now)) {
      bucket_type& here = at(place_now);
      for (unsigned i = 0; i < width; ++i) {
        if (here.entries[i].count == 0) {
          here.keys[i] = key;
          return &here.entries[i];
        }
        if (here.keys[i] == key) return &here.entries[i];
      }
    }
    return nullptr;
  }

  // Looks into one bucket. `more`: the key may be in the next one. See levels/unit/join_probe.h.
  entry<Row> find_here(const Key& key, std::uint64_t place, bool& more) const {
    const bucket_type& here = at(place);
    unsigned hits = 0;
    for (unsigned i = 0; i < width; ++i) hits |= unsigned{here.keys[i] == key} << i;
    const entry<Row> found = here.entries[std::countr_zero(hits | 1u << (width - 1))];
    more = (hits == 0) & (found.count != 0);
    return found;
  }

  void clear(std::uint64_t region) const {
    std::memset(first + region * region_buckets * stride, 0, region_buckets * stride);
  }

  template <typename F>
  void for_each(std::uint64_t region, F&& f) const {
    for (std::uint64_t b = region * region_buckets; b < (region + 1) * region_buckets; ++b) {
      for (entry<Row>& e : at(b).entries) f(e);
    }
  }
};

// One entry per key of a domain.
template <typename Key, typename Row>
struct domain_index {
  entry<Row>* entries;
  join_domain domain;
  unsigned region_bits;  // log2 of keys a region

  partition_function partition() const {
    return partition_function::by_value(domain.base, region_bits);
  }
  void prefetch(std::uint64_t place) const { __builtin_prefetch(entries + place); }
  void find_places(const Key* keys, std::size_t n, std::uint64_t* places) const {
    for (std::size_t i = 0; i < n; ++i)
      places[i] = std::min(distance(keys[i], domain), domain.size);
  }
  entry<Row>* claim(const Key& key) const {
    const std::uint64_t at = distance(key, domain);
    return at < domain.size ? entries + at : nullptr;
  }
  entry<Row> find_here(const Key&, std::uint64_t place, bool& more) const {
    more = false;
    return entries[place];
  }
  void clear(std::uint64_t region) const {
    for_each(region, [](entry<Row>& e) { e = {0, 0}; });
  }
  template <typename F>
  void for_each(std::uint64_t region, F&& f) const {
    const std::uint64_t end = std::min(domain.size, (region + 1) << region_bits);
    for (std::uint64_t i = region << region_bits; i < end; ++i) f(entries[i]);
  }
};

template <typename Key, typename Row, template <typename, typename> class Index>
class join_builder {
 public:
  using index = Index<Key, Row>;

  join_builder(join_table& table, detail::workers& team, detail::memory_source& memory,
               const std::byte* keys)
      : table_(table), team_(team), memory_(memory), keys_(keys) {}

  void build() {
    table_.probe_ = probe;
    constexpr bool hashed = std::is_same_v<index, hashed_index<Key, Row>>;
    if constexpr (hashed) {
      plan_buckets();
    } else {
      plan_domain();
    }
    for (bool built = false; !built;) {
      block_partition parts(memory_, ranges(), regions_, sizeof(Key), sizeof(Row), table_.n_,
                            table_.owner_);
      partition_rows(parts);
      built = fill_entries(parts);
      if (built) {
        if (!table_.unique_) collect_runs(parts);
      } else if constexpr (hashed) {  // keys that collide under one hash don't under another
        if (++table_.seed_ % 4 == 0) table_.region_buckets_ *= 2;
        allocate(table_.region_buckets_ * regions_ * index::stride);
      } else {
        throw usage_error(table_.owner_ + ": a key lies outside its known domain of " +
                          std::to_string(table_.domain_.size) +
                          " keys; widen the domain or join without one");
      }
    }
  }

  static void probe(const join_table& table, const std::byte* keys, std::size_t n,
                    std::uint64_t* first, std::uint64_t* count) {
    const index lookup = view(table);
    const bool prefetch = table.index_.size() > prefetch_index_beyond_bytes;
    Key copy[batch_keys];  // keys may be unaligned
    std::uint64_t places[batch_keys];
    std::uint16_t aside[batch_keys];
    for (std::size_t at = 0; at < n; at += batch_keys) {
      const std::size_t batch = std::min(batch_keys, n - at);
      std::memcpy(copy, keys + at * sizeof(Key), batch * sizeof(Key));
      lookup.find_places(copy, batch, places);
      std::size_t unfinished = 0;
      for (std::size_t ahead = 0; ahead < batch + fetched_ahead; ahead += fetched_ahead) {
        const std::size_t end = std::min(ahead + fetched_ahead, batch);
        if (prefetch) {
          for (std::size_t i = ahead; i < end; ++i) lookup.prefetch(places[i]);
        }
        if (ahead == 0) continue;
        const std::size_t begin = ahead - fetched_ahead;
        const std::size_t more =
            find_home(lookup, copy + begin, places + begin, std::min(fetched_ahead, batch - begin),
                      first + at + begin, count + at + begin, aside + unfinished);
        for (const std::size_t last = unfinished + more; unfinished < last; ++unfinished)
          aside[unfinished] = static_cast<std::uint16_t>(aside[unfinished] + begin);
      }
      find_further(lookup, copy, places, aside, unfinished, first + at, count + at);
    }
  }

 private:
  // The entries of keys in the buckets where they should be; the numbers of those that may be
  // further on go to `aside`.
  static std::size_t find_home(const index& lookup, const Key* keys, const std::uint64_t* places,
                               std::size_t n, std::uint64_t* first, std::uint64_t* count,
                               std::uint16_t* aside) {
    if constexpr (std::is_same_v<index, hashed_index<std::uint32_t, std::uint32_t>>) {
      return levels::own().join_find_32(lookup, keys, places, n, first, count, aside);
    } else if constexpr (std::is_same_v<index, hashed_index<std::uint64_t, std::uint32_t>>) {
      return levels::own().join_find_64(lookup, keys, places, n, first, count, aside);
    } else {
      std::size_t unfinished = 0;
      for (std::size_t i = 0; i < n; ++i) {
        bool more;
        const entry<Row> found = lookup.find_here(keys[i], places[i], more);
        first[i] = found.first;
        count[i] = found.count;
        aside[unfinished] = static_cast<std::uint16_t>(i);
        unfinished += more;
      }
      return unfinished;
    }
  }

  // The entries of keys that aren't in their home buckets, bucket behind bucket. They are taken
  // together, for one by one each costs two branches that nobody can guess.
  static void find_further(const index& lookup, const Key* keys, const std::uint64_t* places,
                           const std::uint16_t* aside, std::size_t n, std::uint64_t* first,
                           std::uint64_t* count) {
    if constexpr (std::is_same_v<index, hashed_index<Key, Row>>) {
      Key wanted[batch_keys];
      std::uint64_t next[batch_keys], found_first[batch_keys], found_count[batch_keys];
      std::uint16_t number[batch_keys], again[batch_keys];
      for (std::size_t k = 0; k < n; ++k) {
        number[k] = aside[k];
        next[k] = places[aside[k]];
      }
      for (std::uint64_t step = 1; n > 0; ++step) {
        for (std::size_t k = 0; k < n; ++k) {
          next[k] = lookup.next(next[k]);
          lookup.prefetch(next[k]);
          wanted[k] = keys[number[k]];
        }
        std::size_t more = find_home(lookup, wanted, next, n, found_first, found_count, again);
        for (std::size_t k = 0; k < n; ++k) {
          first[number[k]] = found_first[k];
          count[number[k]] = found_count[k];
        }
        if (step + 1 >= lookup.region_buckets) {  // all of the ring has been seen
          for (std::size_t k = 0; k < more; ++k) count[number[again[k]]] = 0;
          more = 0;
        }
        n = more;
        for (std::size_t k = 0; k < n; ++k) {
          number[k] = number[again[k]];
          next[k] = next[again[k]];
        }
      }
    }
  }

  // Counts the keys' rows, notes the first ones, and raises `most` to the largest count. False when
  // a row found no place.
  static bool insert(const index& lookup, const Key* keys, const Row* numbers, std::size_t n,
                     Row& most) {
    if constexpr (std::is_same_v<index, hashed_index<std::uint32_t, std::uint32_t>>) {
      return levels::own().join_insert_32(lookup, keys, numbers, n, &most);
    } else if constexpr (std::is_same_v<index, hashed_index<std::uint64_t, std::uint32_t>>) {
      return levels::own().join_insert_64(lookup, keys, numbers, n, &most);
    } else {
      for (std::size_t i = 0; i < n; ++i) {
        entry<Row>* to = lookup.claim(keys[i]);
        if (to == nullptr) return false;
        if (to->count == 0) to->first = numbers[i];
        most = std::max(most, ++to->count);
      }
      return true;
    }
  }

  static index view(const join_table& table) {
    if constexpr (std::is_same_v<index, hashed_index<Key, Row>>) {
      return {{table.index_.data(), table.seed_, table.region_buckets_, table.region_bits_}};
    } else {
      return {table.index_.template as<entry<Row>>(), table.domain_, table.region_bits_};
    }
  }

  void allocate(std::uint64_t bytes) {
    table_.index_.reset();
    table_.index_ = detail::buffer(memory_, bytes, table_.owner_);
  }

  // Buckets are half full on average: then only one look-up in twenty goes on to a second one.
  void plan_buckets() {
    const std::uint64_t buckets = table_.n_ / index::width * 2 + 2;
    const std::uint64_t bytes = buckets * index::stride;
    table_.region_bits_ =
        std::min<unsigned>(region_bits_max, std::bit_width(bytes / region_bytes_wanted));
    regions_ = 1u << table_.region_bits_;
    // A region's share of the keys varies by a few standard deviations.
    table_.region_buckets_ = buckets / regions_ + 4;
    allocate(table_.region_buckets_ * regions_ * index::stride);
  }

  void plan_domain() {
    const std::uint64_t size = table_.domain_.size;
    unsigned bits = std::bit_width(region_bytes_wanted / sizeof(entry<Row>)) - 1;
    while (((size - 1) >> bits) >= (1u << region_bits_max)) ++bits;
    table_.region_bits_ = bits;
    regions_ = static_cast<unsigned>(((size - 1) >> bits) + 1);
    allocate((size + 1) * sizeof(entry<Row>));
    reinterpret_cast<entry<Row>*>(table_.index_.data())[size] = {0, 0};  // any key outside
  }

  unsigned ranges() const {
    return regions_ == 1 ? 1
                         : static_cast<unsigned>(std::min<std::uint64_t>(64, table_.n_ >> 15)) + 1;
  }

  void partition_rows(block_partition& parts) {
    const partition_function function = view(table_).partition();
    const unsigned pieces = ranges();
    detail::parallel_chunks(team_, pieces, [&](std::size_t piece, unsigned) {
      Row rows[batch_keys];
      const std::uint64_t end =
          table_.n_ / pieces * (piece + 1) + (piece + 1 == pieces ? table_.n_ % pieces : 0);
      for (std::uint64_t row = table_.n_ / pieces * piece; row < end; row += batch_keys) {
        if (team_.stopping()) return;
        const std::size_t batch = std::min<std::uint64_t>(batch_keys, end - row);
        for (std::size_t i = 0; i < batch; ++i) rows[i] = static_cast<Row>(row + i);
        parts.append(static_cast<unsigned>(piece), keys_ + row * sizeof(Key),
                     reinterpret_cast<const std::byte*>(rows), batch, function);
      }
      parts.close(static_cast<unsigned>(piece));
    });
  }

  // Counts each key's rows and notes the first. False when a row found no place.
  bool fill_entries(const block_partition& parts) {
    const index lookup = view(table_);
    std::atomic<bool> repeated = false, failed = false;
    detail::parallel_chunks(team_, regions_, [&](std::size_t region, unsigned) {
      lookup.clear(region);
      Row most = 0;
      bool stopped = false;
      parts.for_each(static_cast<unsigned>(region), [&](const block_partition::rows& rows) {
        if (stopped || (stopped = team_.stopping())) return;
        const Key* keys = reinterpret_cast<const Key*>(rows.keys);
        const Row* numbers = reinterpret_cast<const Row*>(rows.payload);
        stopped = !insert(lookup, keys, numbers, rows.n, most);
        if (stopped) failed = true;
      });
      if (most > 1) repeated = true;
    });
    table_.unique_ = !repeated;
    return !failed;
  }

  // Gives each repeated key a run of rows_, in the order of regions and entries, and fills it in
  // row order.
  void collect_runs(const block_partition& parts) {
    const index lookup = view(table_);
    std::vector<std::uint64_t> starts(regions_ + 1, 0);
    detail::parallel_chunks(team_, regions_, [&](std::size_t region, unsigned) {
      std::uint64_t total = 0;
      lookup.for_each(region, [&](entry<Row>& e) { total += e.count > 1 ? e.count : 0; });
      starts[region + 1] = total;
    });
    for (unsigned region = 0; region < regions_; ++region) starts[region + 1] += starts[region];
    table_.rows_ = detail::buffer(memory_, starts[regions_] * sizeof(Row), table_.owner_);
    Row* const runs = table_.rows_.template as<Row>();
    detail::parallel_chunks(team_, regions_, [&](std::size_t region, unsigned) {
      std::uint64_t at = starts[region];
      bool stopped = false;
      lookup.for_each(region, [&](entry<Row>& e) {
        if (e.count < 2) return;
        e.first = static_cast<Row>(at);
        at += e.count;
      });
      parts.for_each(static_cast<unsigned>(region), [&](const block_partition::rows& rows) {
        if (stopped || (stopped = team_.stopping())) return;
        const Key* keys = reinterpret_cast<const Key*>(rows.keys);
        const Row* numbers = reinterpret_cast<const Row*>(rows.payload);
        for (std::size_t i = 0; i < rows.n; ++i) {
          entry<Row>* to = lookup.claim(keys[i]);
          if (to->count > 1) runs[to->first++] = numbers[i];
        }
      });
      lookup.for_each(region, [&](entry<Row>& e) {
        if (e.count > 1) e.first -= e.count;
      });
    });
  }

  join_table& table_;
  detail::workers& team_;
  detail::memory_source& memory_;
  const std::byte* keys_;
  unsigned regions_ = 1;
};

join_table::join_table(detail::workers& team, detail::memory_source& memory, const std::byte* keys,
                       std::uint64_t n, std::size_t key_bytes, join_domain domain,
                       std::string_view owner, std::size_t row_bytes)
    : n_(n),
      key_bytes_(key_bytes),
      row_bytes_(row_bytes != 0     ? row_bytes
                 : n <= 0xffffffffu ? 4
                                    : 8),
      owner_(owner),
      domain_(domain) {
  with_key_type(key_bytes, [&](auto key) {
    using key_type = decltype(key);
    const auto build = [&](auto row) {
      using row_type = decltype(row);
      if (domain.size == 0) {
        join_builder<key_type, row_type, hashed_index>(*this, team, memory, keys).build();
      } else {
        join_builder<key_type, row_type, domain_index>(*this, team, memory, keys).build();
      }
    };
    if (row_bytes_ == 4) {
      build(std::uint32_t{});
    } else {
      build(std::uint64_t{});
    }
  });
}

void join_table::fetch(std::uint64_t region) const {
  const std::size_t bytes = region_buckets_ * 64;  // every bucket is a line
  for (std::size_t at = 0; at < bytes; at += 64)
    __builtin_prefetch(index_.data() + region * bytes + at, 0, 2);
}

}  // namespace pappus::algorithms

// Four algorithms, by what is known of the keys:
//
//   few keys, domain known    a table a worker, directly indexed; several copies of it, so that a
//   key repeated within a few rows does
//                             not wait for its own last addition.
//   many keys, domain known   a table of all keys would miss the second-level cache at every row.
//   Rows are first partitioned by the high
//                             bits of the key, kept as 16-bit offsets; each partition's table fits
//                             the cache.
//   few keys, domain unknown  a hash table a worker, looked up in line; misses are rare, so the
//   branch is predicted. many keys, unknown        rows are partitioned by hash, then one small
//   hash table a partition; groups are sorted at the end.
//
// Not here: spilling, key types other than 32 bits, a fixed order of addition.
#include "system/groupby.h"

#include <algorithm>
#include <array>
#include <bit>
#include <unordered_map>
#include <utility>

#include "system/checksum.h"
#include "system/generator.h"
#include "system/lanes.h"
#include "system/partition.h"

namespace pappus::bench::groupby {
namespace {

constexpr std::int64_t few_keys = 1 << 12, few_unknown_keys = 1 << 15;
constexpr int partition_key_bits = 14;
constexpr std::int64_t piece = 1 << 15;

// (count, sum) as two doubles: one load, one addition, one store a row. A count stays exact to
// 2^53.
using entry = f64x2;

struct alignas(16) slot {
  std::uint32_t key = 0;
  std::uint32_t count = 0;  // 0: empty
  double sum = 0;
};

// The highest bits choose the partition, those below them the slot.
constexpr int hash_partition_bits = 7;
std::uint64_t hash_of(std::uint32_t key) { return key * 0x9E3779B97F4A7C15u; }

// Open addressing with linear probing. An empty slot holds key 0; when key 0 itself comes to an
// empty slot, it looks found, and counting it there is just the insertion that was due.
class hash_table {
 public:
  /// Empties the table and makes room for `expected` keys; more make it grow.
  void reset(std::int64_t expected) {
    const auto least = static_cast<std::uint64_t>(std::max<std::int64_t>(expected, 8)) * 2;
    slots_.assign(std::bit_ceil(least), {});
    used_ = 0;
  }

  /// Adds rows key_at(i), value_at(i), count_at(i) for i in [0, n).
  template <class Key, class Value, class Count>
  void add(std::int64_t n, Key key_at, Value value_at, Count count_at) {
    slot* slots = slots_.data();
    std::size_t mask = slots_.size() - 1;
    int shift = 64 - std::countr_zero(slots_.size());
    for (std::int64_t i = 0; i < n; ++i) {
      const auto key = static_cast<std::uint32_t>(key_at(i));
      std::size_t at = hash_of(key) << hash_partition_bits >> shift;
      if (slots[at].key != key) [[unlikely]] {
        at = find_or_claim(key, at);
        slots = slots_.data();
        mask = slots_.size() - 1;
        shift = 64 - std::countr_zero(mask + 1);
      }
      slots[at].count += count_at(i);
      slots[at].sum += value_at(i);
    }
  }

  std::span<const slot> slots() const { return slots_; }

 private:
  __attribute__((noinline)) std::size_t find_or_claim(std::uint32_t key, std::size_t at) {
    const std::size_t mask = slots_.size() - 1;
    while (slots_[at].key != key) {
      if (slots_[at].count == 0) {
        if (2 * used_ >= slots_.size()) {
          grow();
          const int shift = 64 - std::countr_zero(slots_.size());
          return find_or_claim(key, hash_of(key) << hash_partition_bits >> shift);
        }
        ++used_;
        slots_[at].key = key;
        return at;
      }
      at = (at + 1) & mask;
    }
    return at;
  }

  void grow() {
    std::vector<slot> old(slots_.size() * 4);
    old.swap(slots_);
    used_ = 0;
    for (const slot& s : old) {
      if (s.count == 0) continue;
      add(
          1, [&](auto) { return s.key; }, [&](auto) { return s.sum; },
          [&](auto) { return s.count; });
    }
  }

  std::vector<slot> slots_;
  std::size_t used_ = 0;
};

constexpr auto one = [](std::int64_t) { return 1u; };

std::int64_t partitions_of(knowledge known) {
  if (!known.domain) return 1 << hash_partition_bits;
  return ((known.keys - 1) >> partition_key_bits) + 1;
}

}  // namespace

struct workspace::state {
  state(std::int64_t n, knowledge known_keys, team& workers)
      : known(known_keys), few(known.keys <= (known.domain ? few_keys : few_unknown_keys)) {
    const auto partitions = static_cast<int>(partitions_of(known));
    const std::int64_t table_size =
        few ? table_copies * known.keys : std::int64_t{1} << partition_key_bits;
    for (int worker = 0; worker < workers.threads(); ++worker) {
      if (known.domain) {
        tables.emplace_back(table_size, workers);
      } else {
        hash_tables.emplace_back().reset(few ? spread() * known.keys : known.keys / partitions);
      }
    }
    groups.resize(static_cast<std::size_t>(known.keys));
    if (few) return;
    if (known.domain) {
      offsets = std::make_unique<partitioned<std::uint16_t, double>>(n, partitions, workers);
    } else {
      keys = std::make_unique<partitioned<std::int32_t, double>>(n, partitions, workers);
    }
    found.resize(static_cast<std::size_t>(partitions));
  }

  result few_known(std::span<const row> rows, team& workers);
  result many_known(std::span<const row> rows, team& workers);
  result few_unknown(std::span<const row> rows, team& workers);
  result many_unknown(std::span<const row> rows, team& workers);

  // Sums one partition into `table`; its groups go to the front of `to`, their number is returned.
  std::int64_t sum_partition(int partition, std::span<entry> table, group* to) const;
  // Puts the groups of `found` in key order.
  result sorted(team& workers);

  static constexpr std::int64_t table_copies = 4;
  // Few keys can afford a sparse table, where a key seldom meets another.
  std::int64_t spread() const { return known.keys <= few_keys ? 16 : 4; }

  const knowledge known;
  const bool few;
  std::vector<group> groups;
  // A table a worker: of all keys, or of one partition's.
  std::vector<buffer<entry>> tables;
  std::vector<hash_table> hash_tables;
  std::unique_ptr<partitioned<std::uint16_t, double>> offsets;
  std::unique_ptr<partitioned<std::int32_t, double>> keys;
  std::vector<std::vector<group>> found;
};

result workspace::state::few_known(std::span<const row> rows, team& workers) {
  const std::int64_t n = known.keys;
  for (buffer<entry>& table : tables) std::ranges::fill(table.all(), entry{});
  workers.run_pieces(std::ssize(rows), piece,
                     [&](std::int64_t begin, std::int64_t end, int worker) {
                       entry* const table = tables[static_cast<std::size_t>(worker)].data();
                       const auto add = [&](const row& r, std::int64_t copy) {
                         table[copy * n + r.key] += entry{1, r.value};
                       };
                       std::int64_t i = begin;
                       for (; i + table_copies <= end; i += table_copies) {
                         for (std::int64_t copy = 0; copy < table_copies; ++copy) {
                           add(rows[static_cast<std::size_t>(i + copy)], copy);
                         }
                       }
                       for (; i < end; ++i) add(rows[static_cast<std::size_t>(i)], 0);
                     });
  std::size_t filled = 0;
  for (std::int64_t key = 0; key < n; ++key) {
    entry total = {};
    for (const buffer<entry>& table : tables) {
      for (std::int64_t copy = 0; copy < table_copies; ++copy) total += table[copy * n + key];
    }
    if (total[0] == 0) continue;
    groups[filled++] = {static_cast<std::int32_t>(key), static_cast<std::int64_t>(total[0]),
                        total[1]};
  }
  return {{groups.data(), filled}};
}

std::int64_t workspace::state::sum_partition(int partition, std::span<entry> table,
                                             group* to) const {
  std::ranges::fill(table, entry{});
  offsets->for_each(partition, [&](const auto& packet, int filled) {
    for (int i = 0; i < filled; ++i) table[packet.first[i]] += entry{1, packet.second[i]};
  });
  const std::int32_t base = partition << partition_key_bits;
  group* const start = to;
  for (std::size_t key = 0; key < table.size(); ++key) {
    if (table[key][0] == 0) continue;
    *to++ = {base + static_cast<std::int32_t>(key), static_cast<std::int64_t>(table[key][0]),
             table[key][1]};
  }
  return to - start;
}

result workspace::state::many_known(std::span<const row> rows, team& workers) {
  const auto partitions = static_cast<int>(partitions_of(known));
  offsets->fill(std::ssize(rows), partitions, workers, [&](std::int64_t i) {
    const row& r = rows[static_cast<std::size_t>(i)];
    return placed<std::uint16_t, double>{
        static_cast<std::uint32_t>(r.key) >> partition_key_bits,
        static_cast<std::uint16_t>(r.key & ((1 << partition_key_bits) - 1)), r.value};
  });
  std::vector<std::int64_t> filled(static_cast<std::size_t>(partitions));
  workers.run(partitions, [&](std::int64_t p, int worker) {
    group* to = groups.data() + (p << partition_key_bits);
    filled[static_cast<std::size_t>(p)] =
        sum_partition(static_cast<int>(p), tables[static_cast<std::size_t>(worker)], to);
  });
  // Usually every key has rows, and nothing moves.
  std::int64_t end = 0;
  for (std::int64_t p = 0; p < partitions; ++p) {
    const group* from = groups.data() + (p << partition_key_bits);
    if (groups.data() + end != from)
      std::copy_n(from, filled[static_cast<std::size_t>(p)], groups.data() + end);
    end += filled[static_cast<std::size_t>(p)];
  }
  return {{groups.data(), static_cast<std::size_t>(end)}};
}

result workspace::state::few_unknown(std::span<const row> rows, team& workers) {
  for (hash_table& table : hash_tables) table.reset(spread() * known.keys);
  workers.run_pieces(std::ssize(rows), piece,
                     [&](std::int64_t begin, std::int64_t end, int worker) {
                       const row* from = rows.data() + begin;
                       hash_tables[static_cast<std::size_t>(worker)].add(
                           end - begin, [=](auto i) { return from[i].key; },
                           [=](auto i) { return from[i].value; }, one);
                     });
  hash_table& all = hash_tables[0];
  for (std::size_t worker = 1; worker < hash_tables.size(); ++worker) {
    for (const slot& s : hash_tables[worker].slots()) {
      if (s.count)
        all.add(
            1, [&](auto) { return s.key; }, [&](auto) { return s.sum; },
            [&](auto) { return s.count; });
    }
  }
  groups.clear();
  for (const slot& s : all.slots()) {
    if (s.count) groups.push_back({static_cast<std::int32_t>(s.key), s.count, s.sum});
  }
  std::ranges::sort(groups, {}, &group::key);
  return {groups};
}

result workspace::state::many_unknown(std::span<const row> rows, team& workers) {
  const auto partitions = static_cast<int>(partitions_of(known));
  keys->fill(std::ssize(rows), partitions, workers, [&](std::int64_t i) {
    const row& r = rows[static_cast<std::size_t>(i)];
    const std::uint64_t hash = hash_of(static_cast<std::uint32_t>(r.key));
    return placed<std::int32_t, double>{
        static_cast<std::uint32_t>(hash >> (64 - hash_partition_bits)), r.key, r.value};
  });
  workers.run(partitions, [&](std::int64_t p, int worker) {
    hash_table& table = hash_tables[static_cast<std::size_t>(worker)];
    table.reset(known.keys / partitions);
    keys->for_each(static_cast<int>(p), [&](const auto& packet, int filled) {
      table.add(
          filled, [&](auto i) { return packet.first[i]; }, [&](auto i) { return packet.second[i]; },
          one);
    });
    auto& mine = found[static_cast<std::size_t>(p)];
    mine.clear();
    for (const slot& s : table.slots()) {
      if (s.count) mine.push_back({static_cast<std::int32_t>(s.key), s.count, s.sum});
    }
  });
  return sorted(workers);
}

// Sorts groups whose keys are in [base, base + width): by placing them where most places are taken,
// else by comparing.
void sort_slice(std::span<group> slice, std::int64_t base, std::int64_t width) {
  if (width > 8 * std::ssize(slice)) {
    std::ranges::sort(slice, {}, &group::key);
    return;
  }
  std::vector<group> places(static_cast<std::size_t>(width));
  for (const group& g : slice) places[static_cast<std::size_t>(g.key - base)] = g;
  std::ranges::copy_if(places, slice.begin(), [](const group& g) { return g.count != 0; });
}

// One scatter into equal slices of the key range, then each slice, now in cache, is sorted by
// itself.
result workspace::state::sorted(team& workers) {
  constexpr std::size_t slices = 256;
  std::int64_t least = INT32_MAX, greatest = INT32_MIN, total = 0;
  for (const auto& part : found) {
    for (const group& g : part) {
      least = std::min<std::int64_t>(least, g.key);
      greatest = std::max<std::int64_t>(greatest, g.key);
    }
    total += std::ssize(part);
  }
  const std::int64_t width = total ? (greatest - least) / slices + 1 : 1;
  const auto slice_of = [=](const group& g) {
    return static_cast<std::size_t>((g.key - least) / width);
  };

  std::vector<std::array<std::uint32_t, slices>> next(found.size());
  workers.run(std::ssize(found), [&](std::int64_t p, int) {
    for (const group& g : found[static_cast<std::size_t>(p)])
      ++next[static_cast<std::size_t>(p)][slice_of(g)];
  });
  std::array<std::uint32_t, slices + 1> starts = {};
  std::uint32_t start = 0;
  for (std::size_t slice = 0; slice < slices; ++slice) {
    starts[slice] = start;
    for (auto& counts : next) start += std::exchange(counts[slice], start);
  }
  starts[slices] = start;
  if (std::ssize(groups) < total) groups.resize(static_cast<std::size_t>(total));
  workers.run(std::ssize(found), [&](std::int64_t p, int) {
    auto& to = next[static_cast<std::size_t>(p)];
    for (const group& g : found[static_cast<std::size_t>(p)]) groups[to[slice_of(g)]++] = g;
  });
  workers.run(slices, [&](std::int64_t slice, int) {
    const auto s = static_cast<std::size_t>(slice);
    sort_slice({groups.data() + starts[s], groups.data() + starts[s + 1]}, least + slice * width,
               width);
  });
  return {{groups.data(), static_cast<std::size_t>(total)}};
}

workspace::workspace(std::int64_t n, knowledge known, team& workers)
    : state_(std::make_unique<state>(n, known, workers)) {}
workspace::~workspace() = default;

std::string result::checksum() const {
  std::uint64_t hash = 0;
  double weighted = 0;
  for (const group& g : groups) {
    const auto key = static_cast<std::uint32_t>(g.key);
    hash += mix64((std::uint64_t{key} << 32) ^ static_cast<std::uint64_t>(g.count));
    weighted += g.sum * (1 + g.key % 7);
  }
  return hex_digits(hash) + "/" + scientific(weighted, 9);
}

result sequential(std::span<const row> rows, knowledge known, std::vector<group>& groups) {
  groups.clear();
  if (known.domain) {
    groups.resize(static_cast<std::size_t>(known.keys));
    for (const row& r : rows) {
      group& g = groups[static_cast<std::size_t>(r.key)];
      g.key = r.key;
      ++g.count;
      g.sum += r.value;
    }
    std::erase_if(groups, [](const group& g) { return g.count == 0; });
  } else {
    std::unordered_map<std::int32_t, group> table;
    for (const row& r : rows) {
      group& g = table[r.key];
      ++g.count;
      g.sum += r.value;
    }
    for (const auto& [key, g] : table) groups.push_back({key, g.count, g.sum});
    std::ranges::sort(groups, {}, &group::key);
  }
  return {groups};
}

result handwritten(std::span<const row> rows, workspace& space, team& workers) {
  workspace::state& state = *space.state_;
  if (state.few)
    return state.known.domain ? state.few_known(rows, workers) : state.few_unknown(rows, workers);
  return state.known.domain ? state.many_known(rows, workers) : state.many_unknown(rows, workers);
}

}  // namespace pappus::bench::groupby

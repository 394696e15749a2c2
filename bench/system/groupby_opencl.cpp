// Where the domain is known, each work-item has a table, which stays on the device from chunk to
// chunk. Where it isn't, chunks are sorted by key (the kernels most like the engine's) or each
// work-item has a hash table (what a CPU likes). The host adds up what comes back.
#include "system/groupby_opencl.h"

#include <bit>
#include <map>
#include <stdexcept>

#include "system/device_texts.h"

namespace pappus::bench::groupby {
namespace {

constexpr std::int64_t chunk_rows = 1 << 18;
constexpr std::int64_t sorted_chunk_rows = 1 << 20;

/// Sums and counts by key, in key order.
using totals = std::map<std::int32_t, group>;

void add(totals& to, std::int32_t key, double sum, std::int64_t count) {
  group& g = to.try_emplace(key, group{key, 0, 0}).first->second;
  g.sum += sum;
  g.count += count;
}

struct table_state {
  double sum;
  std::int64_t count;
};

/// What a way to group needs: one device's share of the rows.
struct worker {
  virtual ~worker() = default;
  virtual void run(totals& to) = 0;
};

struct dense_worker final : worker {
  opencl::device& on;
  std::int64_t keys, copies;
  opencl::streamed_input rows;
  opencl::kernel clear, add_rows;
  std::vector<table_state> states;
  opencl::memory tables, fault;

  dense_worker(opencl::device& d, std::span<const row> share, std::int64_t domain, bool two_tables,
               bool resident)
      : on(d),
        keys(domain),
        copies(static_cast<std::int64_t>(on.items()) * (two_tables ? 2 : 1)),
        rows(d, share.data(), sizeof(row), std::ssize(share), d.chunk_rows(chunk_rows, sizeof(row)),
             resident),
        clear(on.build(text_file("opencl/groupby_table.cl"), "clear_tables")),
        add_rows(on.build(text_file("opencl/groupby_table.cl"),
                          two_tables ? "add_to_two_tables" : "add_to_table")),
        states(static_cast<std::size_t>(copies * keys)),
        tables(on.allocate(states.size() * sizeof(table_state))),
        fault(on.allocate(4)) {}

  void run(totals& to) override {
    std::int32_t outside = 0;
    const auto begun = on.write(fault, 0, &outside, 4);
    on.launch(clear, on.items(), {begun}, tables, copies * keys);
    const auto domain = static_cast<std::int32_t>(keys);
    for (std::int64_t i = 0; i < rows.chunks(); ++i) {
      const auto chunk = rows.upload(i);
      rows.used(i, on.launch(add_rows, on.items(), {chunk.ready}, *chunk.data, chunk.rows, domain,
                             tables, fault));
      on.flush();
    }
    on.finish();
    on.read(fault, 0, &outside, 4);
    on.read(tables, 0, states.data(), states.size() * sizeof(table_state));
    on.finish();
    if (outside != 0) throw std::runtime_error("groupby: a key lies outside of the domain");
    for (std::size_t i = 0; i < states.size(); ++i)
      if (states[i].count > 0)
        add(to, static_cast<std::int32_t>(i % static_cast<std::size_t>(keys)), states[i].sum,
            states[i].count);
  }
};

struct hash_worker final : worker {
  opencl::device& on;
  std::int64_t slots = 1 << 12;
  opencl::streamed_input rows;
  opencl::kernel clear, add_rows;
  std::vector<table_state> states;
  std::vector<std::int32_t> keys;
  opencl::memory tables, table_keys, fault, fills;

  hash_worker(opencl::device& d, std::span<const row> share, bool resident)
      : on(d),
        rows(d, share.data(), sizeof(row), std::ssize(share), d.chunk_rows(chunk_rows, sizeof(row)),
             resident),
        clear(on.build(text_file("opencl/groupby_table.cl"), "clear_tables")),
        add_rows(on.build(text_file("opencl/groupby_table.cl"), "add_to_hash_table")),
        fault(on.allocate(4)),
        fills(on.allocate(on.items() * 4)) {
    allocate();
  }

  /// Too small tables are found out at the first run, which warms up.
  void run(totals& to) override {
    while (!fill_tables()) {
      slots *= 8;
      allocate();
    }
    on.read(tables, 0, states.data(), states.size() * sizeof(table_state));
    on.read(table_keys, 0, keys.data(), keys.size() * 4);
    on.finish();
    for (std::size_t i = 0; i < states.size(); ++i)
      if (states[i].count > 0) add(to, keys[i], states[i].sum, states[i].count);
  }

 private:
  void allocate() {
    states.resize(static_cast<std::size_t>(slots) * on.items());
    keys.resize(states.size());
    tables = on.allocate(states.size() * sizeof(table_state));
    table_keys = on.allocate(keys.size() * 4);
  }

  bool fill_tables() {
    const std::vector<std::int32_t> zeros(on.items());
    std::int32_t full = 0;
    const auto begun = on.write(fault, 0, &full, 4);
    const auto empty = on.write(fills, 0, zeros.data(), zeros.size() * 4);
    on.launch(clear, on.items(), {begun, empty}, tables, std::ssize(states));
    for (std::int64_t i = 0; i < rows.chunks(); ++i) {
      const auto chunk = rows.upload(i);
      rows.used(i, on.launch(add_rows, on.items(), {chunk.ready}, *chunk.data, chunk.rows,
                             static_cast<std::int32_t>(slots), tables, table_keys, fault, fills));
      on.flush();
    }
    on.finish();
    on.read(fault, 0, &full, 4);
    on.finish();
    return full == 0;
  }
};

struct sort_worker final : worker {
  /// opencl/groupby_sort.cl's group.
  struct found_group {
    std::int32_t key;
    double sum;
    std::int64_t count;
  };

  opencl::device& on;
  opencl::streamed_input rows;
  opencl::kernel extract, count, scan, move, count_heads, write_heads, fold;
  opencl::memory found, keys[2], places[2], counts, starts, groups;
  std::vector<found_group> chunk_groups;

  sort_worker(opencl::device& d, std::span<const row> share, bool resident)
      : on(d), rows(d, share.data(), sizeof(row), std::ssize(share), sorted_chunk_rows, resident) {
    const auto build = [&](const char* name) {
      return on.build(text_file("opencl/groupby_sort.cl"), name);
    };
    extract = build("extract");
    count = build("count_digits");
    scan = build("scan_counts");
    move = build("move_rows");
    count_heads = build("count_heads");
    write_heads = build("write_heads");
    fold = build("fold_groups");
    found = on.allocate(on.items() * 8);
    counts = on.allocate((256 * on.items() + 1) * 4);
    for (auto* m : {&keys[0], &keys[1], &places[0], &places[1], &starts})
      *m = on.allocate(sorted_chunk_rows * 4);
    groups = on.allocate(sorted_chunk_rows * sizeof(found_group));
  }

  void run(totals& to) override {
    auto next = rows.upload(0);
    for (std::int64_t i = 0; i < rows.chunks(); ++i) {
      const auto chunk = next;
      const auto differing = extract_keys(chunk);
      const auto folded = sort_and_fold(chunk, differing);
      rows.used(i, folded);
      if (i + 1 < rows.chunks()) next = rows.upload(i + 1);
      collect(folded, to);
    }
  }

 private:
  /// Keys and rows' numbers; returns the bits in which keys differ.
  std::uint32_t extract_keys(const opencl::streamed_input::chunk& chunk) {
    const auto extracted = on.launch(extract, on.items(), {chunk.ready}, *chunk.data, chunk.rows,
                                     keys[0], places[0], found);
    std::vector<std::uint32_t> bits(2 * on.items());
    const auto read = on.read(found, 0, bits.data(), bits.size() * 4, {extracted});
    on.flush();
    on.wait(read);
    std::uint32_t any = 0, all = ~0u;
    for (std::size_t i = 0; i < bits.size(); i += 2) {
      any |= bits[i];
      all &= bits[i + 1];
    }
    return any & ~all;
  }

  opencl::event sort_and_fold(const opencl::streamed_input::chunk& chunk, std::uint32_t differing) {
    const auto items = static_cast<std::int32_t>(on.items());
    std::size_t at = 0;
    while (differing != 0) {
      const std::int32_t shift = std::countr_zero(differing);
      differing &= ~static_cast<std::uint32_t>(std::uint64_t{255} << shift);
      on.launch(count, on.items(), {}, keys[at], chunk.rows, shift, counts);
      on.launch(scan, 1, {}, counts, 256 * items);
      on.launch(move, on.items(), {}, keys[at], places[at], chunk.rows, shift, counts, keys[1 - at],
                places[1 - at]);
      at = 1 - at;
    }
    on.launch(count_heads, on.items(), {}, keys[at], chunk.rows, counts);
    on.launch(scan, 1, {}, counts, items);
    on.launch(write_heads, on.items(), {}, keys[at], chunk.rows, counts, starts);
    return on.launch(fold, on.items(), {}, *chunk.data, chunk.rows, keys[at], places[at], starts,
                     counts, items, groups);
  }

  void collect(const opencl::event& folded, totals& to) {
    std::uint32_t n = 0;
    const auto counted = on.read(counts, on.items() * 4, &n, 4, {folded});
    on.flush();
    on.wait(counted);
    chunk_groups.resize(n);
    on.wait(on.read(groups, 0, chunk_groups.data(), n * sizeof(found_group)));
    for (const auto& g : chunk_groups) add(to, g.key, g.sum, g.count);
  }
};

}  // namespace

void add_opencl(const stage& on, std::span<const row> rows, knowledge known,
                std::vector<version>& to) {
  if (!opencl::are_processors(on.opencl)) return;
  for (const char* name : {opencl_version, opencl_cpu_version}) {
    const bool for_cpu = name == opencl_cpu_version;
    const auto make = [&](opencl::device& d, std::int64_t first,
                          std::int64_t n) -> std::unique_ptr<worker> {
      const auto share = rows.subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(n));
      const bool resident = on.asked.resident;
      if (known.domain)
        return std::make_unique<dense_worker>(d, share, known.keys, for_cpu, resident);
      if (for_cpu) return std::make_unique<hash_worker>(d, share, resident);
      return std::make_unique<sort_worker>(d, share, resident);
    };
    auto crew = std::make_shared<opencl::crew<worker>>(on.opencl, std::ssize(rows),
                                                       sorted_chunk_rows, make);
    auto last = std::make_shared<std::vector<group>>();
    to.push_back({name,
                  [=] {
                    std::vector<totals> parts(crew->workers().size());
                    crew->run([&](worker& w, std::size_t i) { w.run(parts[i]); });
                    for (std::size_t i = 1; i < parts.size(); ++i)
                      for (const auto& [key, g] : parts[i]) add(parts[0], key, g.sum, g.count);
                    last->clear();
                    for (const auto& [key, g] : parts[0]) last->push_back(g);
                  },
                  [=] { return result{*last}.checksum(); }, opencl::names_of(on.opencl)});
  }
}

}  // namespace pappus::bench::groupby

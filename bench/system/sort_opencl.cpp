// Least significant digit first, the whole share of a device at once: 4 passes of 8 bits, or 3 of
// 11 with rows put together to whole cache lines. The shares of several devices are merged on the
// host.
#include "system/sort_opencl.h"

#include <algorithm>
#include <utility>

#include "system/device_texts.h"

namespace pappus::bench::sort {
namespace {

struct method {
  const char* version;
  const char* move;
  int bits;
};

/// What one device needs for its share of the rows.
struct worker {
  opencl::device& on;
  method how;
  std::span<const std::int32_t> share;
  std::int32_t* out;
  bool resident;
  opencl::kernel count, scan, move;
  opencl::memory numbers, rooms[2], result, counts, lines;

  worker(opencl::device& d, const method& m, std::span<const std::int32_t> from, std::int32_t* to,
         bool stays)
      : on(d), how(m), share(from), out(to), resident(stays) {
    const std::string bits = "#define BITS " + std::to_string(how.bits) + "\n";
    count = on.build(text_file("opencl/sort.cl"), "count_digits", bits);
    scan = on.build(text_file("opencl/sort.cl"), "scan_counts", bits);
    move = on.build(text_file("opencl/sort.cl"), how.move, bits);
    const std::size_t digits = std::size_t{1} << how.bits;
    numbers =
        on.in_place() ? on.wrap(share.data(), share.size_bytes()) : on.allocate(share.size_bytes());
    for (auto& room : rooms) room = on.allocate(share.size_bytes());
    if (on.in_place()) result = on.wrap(out, share.size_bytes());
    counts = on.allocate(digits * on.items() * 4);
    lines = on.allocate(digits * on.items() * 64);
    if (!resident || on.in_place()) return;
    on.write(numbers, 0, share.data(), share.size_bytes());
    on.finish();
  }

  void run() {
    const opencl::memory* from = &numbers;
    const auto rows = std::ssize(share);
    opencl::event ready;
    if (!resident && !on.in_place()) ready = on.write(numbers, 0, share.data(), share.size_bytes());
    const auto all = static_cast<std::int32_t>((std::size_t{1} << how.bits) * on.items());
    int pass = 0;
    for (std::int32_t shift = 0; shift < 32; shift += how.bits, ++pass) {
      const std::uint32_t flip = shift + how.bits >= 32 ? 1u << (31 - shift) : 0;
      const bool last = shift + how.bits >= 32;
      const opencl::memory& to = last && result ? result : rooms[pass % 2];
      on.launch(count, on.items(), {ready}, *from, rows, shift, flip, counts);
      on.launch(scan, 1, {}, counts, all);
      ready = on.launch(move, on.items(), {}, *from, rows, shift, flip, counts, to, lines);
      from = &to;
    }
    on.read(*from, 0, out, share.size_bytes(), {ready});
    on.flush();
    on.finish();
  }
};

/// Merges neighbouring runs of `runs`, sorted parts of `from` one after another, into `to`: each
/// piece of the output finds where its rows begin in both runs by bisection (Deo and Sarkar 1991).
void merge_pair(std::span<const std::int32_t> a, std::span<const std::int32_t> b, std::int32_t* to,
                team& workers) {
  const auto begin_in_a = [&](std::int64_t row) {
    std::int64_t low = std::max<std::int64_t>(0, row - std::ssize(b));
    std::int64_t high = std::min(row, std::ssize(a));
    while (low < high) {
      const std::int64_t middle = (low + high) / 2;
      if (a[static_cast<std::size_t>(middle)] <= b[static_cast<std::size_t>(row - middle - 1)])
        low = middle + 1;
      else
        high = middle;
    }
    return low;
  };
  workers.run_pieces(std::ssize(a) + std::ssize(b), 1 << 20,
                     [&](std::int64_t begin, std::int64_t end, int) {
                       const std::int64_t a0 = begin_in_a(begin), a1 = begin_in_a(end);
                       std::merge(a.begin() + a0, a.begin() + a1, b.begin() + (begin - a0),
                                  b.begin() + (end - a1), to + begin);
                     });
}

/// The devices at work, and a second room for merging what they sorted.
struct sorter {
  opencl::crew<worker> crew;
  std::span<std::int32_t> sorted;
  std::vector<std::int32_t> room;
  team& workers;

  void run() {
    crew.run([](worker& w, std::size_t) { w.run(); });
    std::span<std::int32_t> from = sorted, to = room;
    const auto& parts = crew.workers();
    if (parts.size() < 2) return;
    std::size_t merged = parts.front()->share.size();
    for (std::size_t i = 1; i < parts.size(); ++i) {
      const std::size_t more = parts[i]->share.size();
      merge_pair(from.first(merged), sorted_part(i, merged, more), to.data(), workers);
      merged += more;
      std::swap(from, to);
    }
    if (from.data() != sorted.data()) std::ranges::copy(from, sorted.begin());
  }

 private:
  /// The part of device i, which lies in `sorted` until its merge overwrites it.
  std::span<const std::int32_t> sorted_part(std::size_t i, std::size_t begin, std::size_t rows) {
    if (i % 2 == 0)
      std::copy_n(sorted.begin() + static_cast<std::ptrdiff_t>(begin), rows,
                  room.begin() + static_cast<std::ptrdiff_t>(begin));
    return (i % 2 == 0 ? std::span<const std::int32_t>(room) : sorted).subspan(begin, rows);
  }
};

}  // namespace

void add_opencl(const stage& on, std::span<const std::int32_t> numbers,
                std::span<std::int32_t> sorted, std::vector<version>& to) {
  if (!opencl::are_processors(on.opencl)) return;
  for (const method& how :
       {method{opencl_version, "move_rows", 8}, method{opencl_cpu_version, "move_lines", 11}}) {
    const auto make = [&](opencl::device& d, std::int64_t first, std::int64_t rows) {
      return std::make_unique<worker>(
          d, how, numbers.subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(rows)),
          sorted.data() + first, on.asked.resident);
    };
    auto all = std::make_shared<sorter>(
        sorter{opencl::crew<worker>(on.opencl, std::ssize(numbers), 16, make), sorted,
               std::vector<std::int32_t>(on.opencl.size() > 1 ? numbers.size() : 0), on.workers});
    to.push_back({how.version, [=] { all->run(); },
                  [=] {
                    all->run();
                    return result{sorted}.checksum();
                  },
                  opencl::names_of(on.opencl)});
  }
}

}  // namespace pappus::bench::sort

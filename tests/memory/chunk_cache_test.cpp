// Chunks of arrays in files: who wants some gets all or none, whatever others have, and chunks are
// loaded no more often than memory makes necessary.
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "memory/chunk_cache.h"
#include "pappus/error.h"
#include "regions/parts.h"

namespace pappus::testing {
namespace {

constexpr std::int64_t rows = 40, columns = 30;
constexpr std::size_t mib = std::size_t{1} << 20;

/// Elements of 4 KiB that begin with their number, so that few take much memory.
class numbered_file final : public graph::chunked {
 public:
  static constexpr std::size_t bytes = 4096;

  explicit numbered_file(regions::point chunk)
      : chunk_(chunk),
        chunks_(
            {regions::cuts::even(0, rows, chunk[0]), regions::cuts::even(0, columns, chunk[1])}),
        loads_(static_cast<std::size_t>(chunks_.size())) {}

  const regions::grid& chunks() const noexcept override { return chunks_; }
  const regions::point& chunk_extents() const noexcept override { return chunk_; }
  std::size_t element_bytes() const noexcept override { return bytes; }
  const std::string& name() const noexcept override { return name_; }
  std::size_t scratch_bytes() const noexcept override { return 0; }
  std::string description() const override { return name_; }
  bool reads_alone(const regions::hyperslab&) const noexcept override { return false; }
  void read_alone(const regions::hyperslab&, const detail::array_numbers&,
                  std::byte*) const override {}
  void announce_alone(const regions::hyperslab&) const noexcept override {}
  void announce(const regions::point&) const noexcept override {}
  void load(const regions::point& at, std::byte* out) const override {
    const auto number = chunks_.number(at);
    if (++loads_[static_cast<std::size_t>(number)] == 1 && number == fails_once)
      throw format_error("bad chunk");
    const auto cell = chunks_.cell(at);
    regions::each_place(cell, [&](const regions::point& place) {
      const auto value = place[0] * columns + place[1];
      const auto offset = (place[0] - cell.low[0]) * chunk_[1] + place[1] - cell.low[1];
      std::memcpy(out + static_cast<std::size_t>(offset) * bytes, &value, sizeof value);
    });
  }

  int loads(std::int64_t chunk) const { return loads_[static_cast<std::size_t>(chunk)]; }
  std::int64_t fails_once = -1;

 private:
  regions::point chunk_;
  regions::grid chunks_;
  std::string name_ = "numbered";
  mutable std::vector<std::atomic<int>> loads_;
};

regions::hyperslab box(std::int64_t i, std::int64_t j, std::int64_t i_end, std::int64_t j_end) {
  return {.bounds = {{i, j}, {i_end, j_end}}};
}

std::int64_t element(const graph::wanted_elements& found, std::int64_t i, std::int64_t j) {
  const auto& low = found.elements.bounds.low;
  const auto offset = (i - low[0]) * found.strides[0] + (j - low[1]) * found.strides[1];
  std::int64_t value = 0;
  std::memcpy(&value, found.first + offset * static_cast<std::int64_t>(numbered_file::bytes),
              sizeof value);
  return value;
}

void expect_found(const graph::wanted_elements& found) {
  const auto& [where, steps] = found.elements;
  for (auto i = where.low[0]; i < where.high[0]; i += steps[0])
    for (auto j = where.low[1]; j < where.high[1]; ++j)
      ASSERT_EQ(element(found, i, j), i * columns + j) << i << ' ' << j;
}

struct cache_in {
  explicit cache_in(std::size_t bytes) : pool(std::make_shared<memory::pool>(bytes)) {
    cache = std::make_shared<memory::chunk_cache>(pool);
  }
  graph::lease_ptr take(graph::wanted_elements& one) const {
    return cache->take({&one, 1}, "test");
  }

  std::shared_ptr<memory::pool> pool;
  std::shared_ptr<memory::chunk_cache> cache;
};

TEST(chunk_cache, finds_elements_of_one_chunk_and_of_several) {
  for (const regions::point chunk : {regions::point{7, 5}, {1, 1}, {40, 30}, {64, 64}, {3, 30}}) {
    const auto file = std::make_shared<numbered_file>(chunk);
    const cache_in in(64 * mib);
    for (const auto& where : {box(0, 0, rows, columns), box(0, 0, 1, 1), box(39, 29, 40, 30),
                              box(6, 4, 8, 6), box(7, 5, 14, 10), box(3, 0, 30, 30)}) {
      graph::wanted_elements wanted{.of = file, .elements = where};
      const auto lease = in.take(wanted);
      expect_found(wanted);
    }
  }
}

TEST(chunk_cache, finds_rows_that_are_stepped_over_nowhere) {
  for (const regions::point chunk : {regions::point{7, 5}, {1, 1}, {40, 30}, {64, 64}, {3, 30}})
    for (const std::int64_t step : {2, 3, 7, 36}) {
      const auto file = std::make_shared<numbered_file>(chunk);
      // 13 rows of 11 elements are more than half a MiB; of these every step-th is copied.
      const cache_in in(64 * mib);
      graph::wanted_elements wanted{.of = file, .elements = box(2, 9, 3 + 36 / step * step, 20)};
      wanted.elements.steps[0] = step;
      const auto lease = in.take(wanted);
      expect_found(wanted);
      for (std::int64_t n = 0; n < file->chunks().size(); ++n) {
        const auto cell = file->chunks().cell(n);
        bool touched = false;
        for (std::int64_t i = 2; i < wanted.elements.bounds.high[0]; i += step)
          touched |= cell.low[0] <= i && i < cell.high[0];
        EXPECT_EQ(file->loads(n), touched && cell.low[1] < 20 && cell.high[1] > 9 ? 1 : 0) << n;
      }
    }
}

TEST(chunk_cache, keeps_chunks_unless_they_are_wanted_once) {
  const auto file = std::make_shared<numbered_file>(regions::point{10, 10});
  const cache_in in(64 * mib);
  for (int i = 0; i < 3; ++i) {
    graph::wanted_elements kept{.of = file, .elements = box(0, 0, 10, 10)};
    in.take(kept);
    graph::wanted_elements once{.of = file, .elements = box(0, 10, 10, 20), .once = true};
    in.take(once);
  }
  EXPECT_EQ(file->loads(0), 1);
  EXPECT_EQ(file->loads(1), 3);
  EXPECT_EQ(in.cache->idle_bytes(), 100 * numbered_file::bytes);
  in.cache->forget(*file);
  EXPECT_EQ(in.cache->idle_bytes(), 0U);
  EXPECT_EQ(in.pool->in_use(), 0U);
}

TEST(chunk_cache, gives_idle_chunks_back_to_others) {
  const auto file = std::make_shared<numbered_file>(regions::point{10, 10});
  const cache_in in(4 * mib);
  graph::wanted_elements wanted{.of = file, .elements = box(0, 0, 20, 10)};
  in.take(wanted);
  EXPECT_GT(in.cache->idle_bytes(), 0U);
  EXPECT_LE(in.cache->idle_bytes(), mib);
  const detail::buffer all(*in.pool, 4 * mib - 4096, "somebody");
  EXPECT_EQ(in.cache->idle_bytes(), 0U);
}

TEST(chunk_cache, refuses_what_never_fits_and_has_nothing_then) {
  const auto file = std::make_shared<numbered_file>(regions::point{10, 10});
  const cache_in in(2 * mib);
  graph::wanted_elements all{.of = file, .elements = box(0, 0, rows, columns)};
  try {
    in.take(all);
    FAIL();
  } catch (const memory_error& e) {
    EXPECT_NE(std::string(e.what()).find("test"), std::string::npos) << e.what();
  }
  in.cache->forget(*file);
  EXPECT_EQ(in.pool->in_use(), 0U);
  graph::wanted_elements some{.of = file, .elements = box(0, 0, 10, 10)};
  in.take(some);
  expect_found(some);
}

TEST(chunk_cache, tells_what_a_load_throws_and_loads_anew) {
  const auto file = std::make_shared<numbered_file>(regions::point{10, 10});
  file->fails_once = 2;
  const cache_in in(64 * mib);
  std::vector<graph::wanted_elements> wanted{{.of = file, .elements = box(0, 0, 10, 10)},
                                             {.of = file, .elements = box(5, 5, 30, 30)}};
  EXPECT_THROW(in.cache->take(wanted, "test"), format_error);
  const auto lease = in.cache->take(wanted, "test");
  for (const auto& one : wanted) expect_found(one);
  EXPECT_EQ(file->loads(0), 1);
}

/// Each thread wants boxes of two files at a time, for which there is room once, or hardly.
void many_threads(std::size_t memory) {
  const std::vector<std::shared_ptr<numbered_file>> files{
      std::make_shared<numbered_file>(regions::point{7, 5}),
      std::make_shared<numbered_file>(regions::point{5, 11})};
  const cache_in in(memory);
  std::atomic<int> found{0};
  const auto work = [&](unsigned seed) {
    std::mt19937 random(seed);
    const auto below = [&](std::int64_t n) { return static_cast<std::int64_t>(random()) % n; };
    for (int step = 0; step < 60; ++step) {
      std::vector<graph::wanted_elements> wanted;
      for (const auto& file : files) {
        const auto i = below(rows), j = below(columns);
        wanted.push_back({.of = file,
                          .elements = box(i, j, std::min(rows, i + 1 + below(8)),
                                          std::min(columns, j + 1 + below(8))),
                          .once = below(2) == 0});
      }
      const auto lease = in.cache->take(wanted, "test");
      for (const auto& one : wanted) expect_found(one);
      ++found;
    }
  };
  {
    std::vector<std::jthread> threads;
    for (unsigned t = 0; t < 6; ++t) threads.emplace_back(work, t);
  }
  EXPECT_EQ(found, 360);
  for (const auto& file : files) in.cache->forget(*file);
  EXPECT_EQ(in.pool->in_use(), 0U);
}

TEST(chunk_cache, serves_many_threads_in_plenty_of_memory) { many_threads(64 * mib); }
/// 64 elements of each file copied together, and a chunk: 780 KiB.
TEST(chunk_cache, serves_many_threads_in_memory_for_one) { many_threads(mib); }

}  // namespace
}  // namespace pappus::testing

// Launches over arrays in files are cut where chunks end: items cover all indices once, and no two
// of them need the same chunk of the array that drives them.
#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "memory/chunk_cache.h"
#include "plan/batch.h"
#include "regions/parts.h"
#include "support/launches.h"

namespace pappus::plan {
namespace {

using regions::box;
using regions::point;

/// A file of which nothing is ever read.
class unread_file final : public graph::chunked {
 public:
  unread_file(const box& all, const point& chunk) : chunk_(chunk) {
    std::vector<regions::cuts> dimensions;
    for (std::size_t d = 0; d < all.rank; ++d)
      dimensions.push_back(regions::cuts::even(0, all.high[d], chunk[d]));
    chunks_ = regions::grid(std::move(dimensions));
  }
  const regions::grid& chunks() const noexcept override { return chunks_; }
  const point& chunk_extents() const noexcept override { return chunk_; }
  std::size_t element_bytes() const noexcept override { return 4; }
  std::size_t scratch_bytes() const noexcept override { return 0; }
  void load(const point&, std::byte*) const override { FAIL(); }
  bool reads_alone(const regions::hyperslab&) const noexcept override { return false; }
  void read_alone(const regions::hyperslab&, const detail::array_numbers&,
                  std::byte*) const override {}
  void announce_alone(const regions::hyperslab&) const noexcept override {}
  void announce(const point&) const noexcept override {}
  const std::string& name() const noexcept override { return name_; }
  std::string description() const override { return name_; }

 private:
  point chunk_;
  regions::grid chunks_;
  std::string name_ = "unread";
};

arrays::image_ptr array_in_file(const box& all, const point& chunk) {
  static const auto memory = std::make_shared<memory::pool>(std::size_t{1} << 20);
  static const auto cache = std::make_shared<memory::chunk_cache>(memory);
  return arrays::make_file_image(detail::record_type_of<std::uint32_t>(), {memory, nullptr, cache},
                                 std::make_shared<unread_file>(all, chunk));
}

/// Of the launch's first argument.
void expect_each_chunk_in_one_item(const stage& s) {
  const auto& of = arrays::launch_of(*s.node);
  const auto& chunks = of.arguments[0].array->file->chunks();
  std::map<std::int64_t, std::int64_t> item_of;
  std::int64_t covered = 0;
  for (std::int64_t n = 0; n < s.items.size(); ++n) {
    const auto indices = s.items.cell(n);
    ASSERT_TRUE(regions::contains(of.indices, indices));
    covered += indices.volume();
    regions::each_place(chunks.cells(touched(of, 0, indices)), [&](const point& at) {
      const auto [found, is_new] = item_of.emplace(chunks.number(at), n);
      EXPECT_EQ(found->second, n) << "chunk " << found->first;
    });
  }
  EXPECT_EQ(covered, of.indices.volume());
}

TEST(chunks, are_each_in_one_item) {
  std::mt19937 random(11);
  const auto from = [&](std::int64_t low, std::int64_t high) {
    return low + static_cast<std::int64_t>(random()) % (high - low + 1);
  };
  for (int n = 0; n < 300; ++n) {
    const box all({0, 0}, {from(300, 900), from(300, 900)});
    const auto a = array_in_file(all, {from(1, 400), from(1, 400)});
    const box part({from(0, 100), from(0, 100)}, {from(200, all.high[0]), from(200, all.high[1])});
    const auto i = from(1, 3), j = from(1, 3), low_i = from(-20, 20), low_j = from(-20, 20);
    const auto text = fmt::format("a: global [i,j] => read a[{}*i+{},{}*j+{}]",
                                  from(0, 1) == 0 ? i : 1, from(0, 30), j, from(0, 30));
    testing::launch_list launches;
    const box indices({low_i, low_j}, {low_i + from(1, 200), low_j + from(1, 200)});
    launches.add(indices, {{a, part}}, text);
    const auto p = launches.planned();
    const auto& s = p.stages.front();
    if (s.chunks.rank() == 0) continue;
    SCOPED_TRACE(fmt::format("{} over {} of {}", text, regions::text(indices),
                             regions::text(chunk_bytes(*a->file) > 0 ? part : all)));
    EXPECT_EQ(s.read_once, 1U);
    expect_each_chunk_in_one_item(s);
  }
}

TEST(chunks, that_are_too_many_are_taken_together) {
  const box all({0, 0, 0}, {1 << 14, 1 << 14, 1 << 14});
  const auto a = array_in_file(all, {16, 16, 16});  // 2^30 of them
  const auto b = testing::planned_array({1});
  testing::launch_list launches;
  launches.add(all, {{a}, {b}}, "a, b: global [i,j,k] => read a[i,j,k], reduce b[0]");
  const auto p = launches.planned();
  const auto& s = p.stages.front();
  EXPECT_GT(s.items.size(), 1 << 16);
  EXPECT_LE(s.items.size(), 1 << 20);
  EXPECT_EQ(s.read_once, 1U);
  for (std::size_t d = 0; d < 3; ++d) EXPECT_EQ(s.items.dimension(d).position(1) % 16, 0);
}

/// Indices for each state, and bytes of what is read at a time for each of a state.
TEST(chunks, of_items_that_reduce_are_read_a_few_at_a_time) {
  for (const std::int64_t columns : {500, 20'000, 3'000'000}) {
    const box all({0, 0}, {40'000, columns});
    const auto a = array_in_file(all, {16, columns});
    const auto sums = testing::planned_array({columns});
    testing::launch_list launches;
    launches.add(all, {{a}, {sums}}, "a, b: global [i,j] => read a[i,j], reduce b[j]");
    const auto p = launches.planned();
    const auto& s = p.stages.front();
    const auto item = s.chunks.cell(1), read = s.reads.rank() > 0 ? s.reads.cell(1) : item;
    EXPECT_GE(item.extent(0), columns < 1'000'000 ? 64 : 16);
    EXPECT_GE(s.chunks.size(), 256);
    // A state has as many bytes as an element here.
    EXPECT_EQ(read.extent(0), columns == 500 ? 64 : 16) << columns;
    EXPECT_EQ(item.extent(0) % read.extent(0), 0);
    EXPECT_EQ(s.read_once, 1U);
    expect_each_chunk_in_one_item(s);
  }
}

/// Of what is read at a time, neighbours would want the same chunks.
TEST(chunks, that_an_item_alone_needs_are_read_together) {
  const box all({0, 0}, {1 << 20, 2048});
  const auto a = array_in_file(all, {32, 512});
  const auto b = testing::planned_array({2048});
  for (const std::string read : {"a[i,j]", "a[i,j-1:j+1]"}) {
    testing::launch_list launches;
    launches.add(box({0, 1}, {1 << 20, 2047}), {{a}, {b}},
                 "a, b: global [i,j] => read " + read + ", reduce b[j]");
    const auto p = launches.planned();
    const auto& s = p.stages.front();
    EXPECT_EQ(s.chunks.dimension(1).size(), 1);
    EXPECT_EQ(s.read_once, 1U);
    EXPECT_EQ(s.reads.rank(), read == "a[i,j]" ? 2U : 0U);
  }
}

/// Chunks that end along a second dimension of which all indices reduce into the same elements.
TEST(chunks, are_read_together_where_values_would_change_their_order) {
  const box all({0, 0, 0}, {4096, 64, 1024});
  const auto b = testing::planned_array({1024});
  for (const std::int64_t first : {1, 4}) {
    const auto a = array_in_file(all, {first, 16 / first, 1024});
    testing::launch_list launches;
    launches.add(all, {{a}, {b}}, "a, b: global [i,j,k] => read a[i,j,k], reduce b[k]");
    const auto p = launches.planned();
    const auto& s = p.stages.front();
    EXPECT_GE(s.chunks.cell(0).extent(1), 16);
    EXPECT_EQ(s.reads.rank(), first == 1 ? 3U : 0U);
  }
}

TEST(chunks, far_apart_are_found_by_few_indices) {
  const box all({0}, {std::int64_t{1} << 60});
  const auto a = array_in_file(all, {1});
  const auto b = testing::planned_array({10});
  testing::launch_list launches;
  launches.add(box({0}, {10}), {{a}, {b}},
               "a, b: global i => read a[100000000000000000*i], write b[i]");
  EXPECT_EQ(launches.planned().stages.front().read_once, 1U);
}

}  // namespace
}  // namespace pappus::plan

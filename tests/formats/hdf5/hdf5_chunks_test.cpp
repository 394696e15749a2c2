// The indices of chunks: what is read of them, beside what libhdf5 tells.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "formats/array_registry.h"
#include "formats/byte_source.h"
#include "formats/hdf5/hdf5_dataset.h"
#include "formats/hdf5/hdf5_layout.h"
#include "formats/hdf5/hdf5_support.h"

namespace pappus::testing {
namespace {

using formats::hdf5_chunk;

class hdf5_chunk_index : public ::testing::Test {
 protected:
  std::string path() const { return folder_.file("x.h5"); }

  /// The chunks that the library told before it closed the file.
  std::vector<hdf5_chunk> write(const hdf5_written_plan& plan) const {
    hdf5_written file(path(), plan);
    file.write();
    return file.chunks();
  }

  formats::hdf5_dataset described() const {
    return formats::describe_hdf5(formats::array_path(path() + ":/x"));
  }

  std::vector<hdf5_chunk> read_index() const {
    const auto dataset = described();
    const auto file = formats::open_file(path());
    const auto layout = formats::read_hdf5_layout(*file, dataset.addresses, dataset.header);
    EXPECT_EQ(layout.is, formats::hdf5_layout::form::chunks);
    return formats::read_hdf5_btree(*file, dataset.addresses, layout.address, dataset.grid()).all();
  }

  void expect_numbered(const extents_type& extents) const {
    const auto all = read_array<std::int32_t>(*formats::open_array(
        path() + ":/x", detail::layout_of<std::int32_t>(), extents.size(), {}));
    std::vector<std::int32_t> expected(product_of(extents));
    std::iota(expected.begin(), expected.end(), 0);
    EXPECT_EQ(all, expected);
  }

  static void expect_same(const std::vector<hdf5_chunk>& got,
                          const std::vector<hdf5_chunk>& expected, std::int64_t before = 0) {
    ASSERT_EQ(got.size(), expected.size());
    for (std::size_t i = 0; i < got.size(); ++i) {
      EXPECT_EQ(got[i].number, expected[i].number);
      EXPECT_EQ(got[i].offset, expected[i].offset + before);
      EXPECT_EQ(got[i].bytes, expected[i].bytes);
      EXPECT_EQ(got[i].skipped, expected[i].skipped);
    }
  }

 private:
  temporary_folder folder_;
};

TEST_F(hdf5_chunk_index, is_what_the_library_tells) {
  for (const unsigned entries : {0U, 2U, 5U}) {
    SCOPED_TRACE(entries);
    const hdf5_written_plan plan{.extents = {41, 5, 23}, .chunk = {2, 3, 2}, .entries = entries};
    const auto expected = write(plan);
    expect_same(read_index(), expected);
    expect_numbered(plan.extents);
  }
}

TEST_F(hdf5_chunk_index, may_be_deep) {
  // Nodes of at most four entries: six levels and more.
  const hdf5_written_plan plan{.extents = {3000}, .chunk = {1}, .entries = 2};
  const auto expected = write(plan);
  expect_same(read_index(), expected);
  expect_numbered(plan.extents);
}

TEST_F(hdf5_chunk_index, has_the_chunks_alone_that_were_written) {
  const hdf5_written_plan plan{.extents = {100, 100}, .chunk = {7, 9}, .entries = 2};
  std::vector<hdf5_chunk> expected;
  {
    hdf5_written file(path(), plan);
    file.write({93, 0}, {2, 50});
    file.write({20, 60}, {30, 10});
    file.write({0, 99}, {1, 1});
    expected = file.chunks();
  }
  EXPECT_LT(expected.size(), 30U);
  expect_same(read_index(), expected);
}

TEST_F(hdf5_chunk_index, counts_from_the_end_of_a_user_block) {
  const hdf5_written_plan plan{
      .extents = {30, 30}, .chunk = {4, 4}, .user_block = 2048, .entries = 2, .compressed = true};
  const auto expected = write(plan);
  expect_same(read_index(), expected, 2048);
  expect_numbered(plan.extents);
}

TEST_F(hdf5_chunk_index, of_newer_kinds_comes_from_the_library) {
  for (const std::size_t unlimited : {0U, 1U, 2U}) {
    for (const bool compressed : {false, true}) {
      SCOPED_TRACE(unlimited);
      const hdf5_written_plan plan{.extents = {37, 19},  // 130 chunks
                                   .chunk = {3, 2},
                                   .latest = true,
                                   .unlimited = unlimited,
                                   .compressed = compressed};
      const auto expected = write(plan);
      const auto dataset = described();
      ASSERT_TRUE(dataset.chunks.has_value());
      EXPECT_EQ(dataset.fetcher, nullptr);
      expect_same(dataset.chunks->all(), expected);
      expect_numbered(plan.extents);
    }
  }
}

TEST_F(hdf5_chunk_index, of_newer_kinds_with_many_chunks_stays_with_the_library) {
  for (const std::size_t unlimited : {0U, 1U, 2U}) {
    for (const bool compressed : {false, true}) {
      SCOPED_TRACE(unlimited);
      const hdf5_written_plan plan{.extents = {600, 2},
                                   .chunk = {1, 2},
                                   .latest = true,
                                   .unlimited = unlimited,
                                   .compressed = compressed};
      {
        hdf5_written file(path(), plan);
        file.write();
      }
      EXPECT_NE(described().fetcher, nullptr);
      expect_numbered(plan.extents);
    }
  }
}

TEST_F(hdf5_chunk_index, of_newer_kinds_may_lack_chunks) {
  const hdf5_written_plan plan{
      .extents = {60, 60}, .chunk = {7, 9}, .latest = true, .user_block = 512};
  hdf5_written(path(), plan).write({14, 0}, {7, 60});
  EXPECT_NE(described().fetcher, nullptr);  // because of the user block
  const auto all = read_array<std::int32_t>(
      *formats::open_array(path() + ":/x", detail::layout_of<std::int32_t>(), 2, {}));
  for (std::size_t i = 0; i < all.size(); ++i)
    EXPECT_EQ(all[i], i >= 14 * 60 && i < 21 * 60 ? static_cast<std::int32_t>(i) : 0);
}

TEST_F(hdf5_chunk_index, may_have_chunks_at_the_ends_that_arent_filtered) {
  const hdf5_written_plan plan{.extents = {40, 50},
                               .chunk = {16, 25},
                               .latest = true,
                               .whole_are_filtered = true,
                               .compressed = true};
  const auto chunks = write(plan);
  EXPECT_LT(chunks.front().bytes, 1600);
  EXPECT_EQ(chunks.back().bytes, 1600);
  expect_numbered(plan.extents);
}

}  // namespace
}  // namespace pappus::testing

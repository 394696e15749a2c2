// The readers of object headers and B-trees, on bytes that are put together here: what they find,
// and what they say of others.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <span>
#include <string>

#include "formats/hdf5/hdf5_chunks.h"
#include "formats/hdf5/hdf5_layout.h"
#include "formats/support.h"
#include "fuzz/hdf5_fuzz.h"

namespace pappus::testing {
namespace {

using formats::hdf5_layout;
using formats::hdf5_problem;

hdf5_layout layout_in(const std::string& bytes) {
  return formats::read_hdf5_layout(*source_of(bytes), fuzz_hdf5_addresses, 0);
}
std::string layout_problem(const std::string& bytes) {
  return message_of<hdf5_problem>([&] { layout_in(bytes); });
}

formats::hdf5_chunks chunks_in(const std::string& bytes) {
  return formats::read_hdf5_btree(*source_of(bytes), fuzz_hdf5_addresses, 0, fuzz_hdf5_grid);
}
std::string chunks_problem(const std::string& bytes) {
  return message_of<hdf5_problem>([&] { chunks_in(bytes); });
}

/// The bytes with one of them changed.
std::string with_byte(std::string bytes, std::size_t at, int value) {
  bytes[at] = static_cast<char>(value);
  return bytes;
}

/// A header of version 1 with one message.
std::string header_with(int type, const std::string& message, int flags = 0) {
  hdf5_bytes bytes;
  bytes.number(1, 2).number(1, 2).number(1, 4).number(8 + message.size(), 4).zeros(4);
  bytes.number(static_cast<std::uint64_t>(type), 2).number(message.size(), 2);
  return bytes.number(static_cast<std::uint64_t>(flags), 1).zeros(3).text(message).all();
}

TEST(hdf5_layout_message, is_found_in_both_forms_of_headers) {
  const auto old = layout_in(fuzz_hdf5_old_header());
  EXPECT_EQ(old.is, hdf5_layout::form::chunks);
  EXPECT_TRUE(old.stored);
  EXPECT_EQ(old.address, 80U);
  const auto newer = layout_in(fuzz_hdf5_new_header());
  EXPECT_EQ(newer.is, hdf5_layout::form::one_piece);
  EXPECT_EQ(newer.address, 64U);
}

TEST(hdf5_layout_message, has_had_four_versions) {
  for (const int version : {1, 2}) {
    const auto old = layout_in(header_with(
        8, hdf5_bytes().number(version, 1).number(2, 1).number(2, 1).zeros(5).number(9, 8).all()));
    EXPECT_EQ(old.is, hdf5_layout::form::chunks);
    EXPECT_EQ(old.address, 9U);
  }
  const auto unwritten =
      layout_in(header_with(8, hdf5_bytes().number(4, 1).number(1, 1).number(~0ULL, 8).all()));
  EXPECT_EQ(unwritten.is, hdf5_layout::form::one_piece);
  EXPECT_FALSE(unwritten.stored);
  const auto compact =
      layout_in(header_with(8, hdf5_bytes().number(3, 1).number(0, 1).number(4, 2).zeros(4).all()));
  EXPECT_EQ(compact.address, 28U);
  EXPECT_EQ(layout_in(header_with(8, hdf5_bytes().number(4, 1).number(2, 1).zeros(30).all())).is,
            hdf5_layout::form::other_chunks);
}

TEST(hdf5_layout_message, may_be_missing_or_damaged) {
  EXPECT_EQ(layout_problem(""),
            "object header out of range: expected it within the file's 0 bytes, got 4 bytes at 0");
  EXPECT_EQ(layout_problem(with_byte(fuzz_hdf5_old_header(), 0, 7)),
            "object header at 0: expected version 1 or 2, got 7");
  EXPECT_EQ(layout_problem(header_with(3, std::string(16, '\0'))),
            "object header at 0: expected a message that tells where elements lie, got none");
  EXPECT_EQ(layout_problem(header_with(8, std::string(18, '\5'))),
            "object header at 16: expected a layout of version 1 to 4, got 5");
  EXPECT_EQ(layout_problem(header_with(8, std::string("\3\7", 2))),
            "object header at 16: expected elements in one piece or in chunks, got layout 7");
  EXPECT_EQ(layout_problem(header_with(8, std::string("\3\1", 2))),
            "object header at 16: expected 8 bytes at 10, got 0");
  EXPECT_EQ(layout_problem(header_with(8, std::string(18, '\3'), 2)),
            "object header at 16: expected where elements lie, got a reference to another object");
  EXPECT_EQ(layout_problem(with_byte(fuzz_hdf5_old_header(), 18, 200)),
            "object header at 16: expected a message within 16 bytes, got one of 200");
  EXPECT_EQ(layout_problem(with_byte(fuzz_hdf5_new_header(), 35, 'X')),
            "object header at 35: expected a part of an object header, got something else");
}

TEST(hdf5_layout_message, is_looked_for_in_a_bounded_number_of_blocks) {
  // The first block continues in itself.
  EXPECT_EQ(layout_problem(with_byte(with_byte(fuzz_hdf5_old_header(), 24, 16), 32, 24)),
            "object header: expected at most 4096 blocks and 64 MiB, got more");
}

TEST(hdf5_btree, has_chunks_in_order) {
  const auto chunks = chunks_in(fuzz_hdf5_btree());
  ASSERT_EQ(chunks.all().size(), 4U);
  for (std::int64_t i = 0; i < 4; ++i) {
    ASSERT_NE(chunks.find(i), nullptr);
    EXPECT_EQ(chunks.find(i)->offset, 16 * i);
    EXPECT_EQ(chunks.find(i)->bytes, 16);
    EXPECT_EQ(chunks.find(i)->skipped, 1U);
  }
  EXPECT_EQ(chunks.find(4), nullptr);
  EXPECT_TRUE(chunks_in(with_byte(with_byte(fuzz_hdf5_btree(), 5, 0), 6, 0)).all().empty());
}

TEST(hdf5_btree, may_be_damaged) {
  const std::string tree = fuzz_hdf5_btree();
  constexpr std::size_t leaf = 104, entry = 24;
  EXPECT_EQ(chunks_problem(with_byte(tree, 0, 'X')),
            "chunk index at 0: expected a node, got something else");
  EXPECT_EQ(chunks_problem(with_byte(tree, 4, 0)),
            "chunk index at 0: expected a node for chunks, of type 1, got type 0");
  EXPECT_EQ(chunks_problem(with_byte(tree, 5, 200)),
            "chunk index at 0: expected a node of level 48, got 200");
  EXPECT_EQ(chunks_problem(with_byte(tree, leaf + 5, 1)),
            "chunk index at 104: expected a node of level 0, got 1");
  EXPECT_EQ(chunks_problem(with_byte(tree, leaf + 6, 0)),
            "chunk index at 104: expected a node with entries, got none");
  EXPECT_EQ(chunks_problem(with_byte(tree, leaf + 6, 200)),
            "chunk index out of range: expected it within the file's 312 bytes, got 8000 bytes at "
            "128");
  EXPECT_EQ(chunks_problem(with_byte(tree, leaf + entry + 8, 3)),
            "chunk index at 128: expected a chunk that begins at a multiple of 4 below 8 along "
            "dimension 0, got 3");
  EXPECT_EQ(chunks_problem(with_byte(tree, leaf + entry + 16, 8)),
            "chunk index at 128: expected a chunk that begins at a multiple of 4 below 8 along "
            "dimension 1, got 8");
  EXPECT_EQ(chunks_problem(with_byte(tree, leaf + entry + 40 + 1, 2)),
            "chunk [0, 1] out of range: expected it within the file's 312 bytes, got 528 bytes at "
            "16");
}

TEST(hdf5_btree, is_gone_through_once_however_it_loops) {
  // Both entries of the root lead to one leaf, and one to the root itself.
  EXPECT_EQ(
      chunks_problem(with_byte(with_byte(fuzz_hdf5_btree(), 24 + 40 + 32, 104), 24 + 40 + 33, 0)),
      "chunk index at 128: expected chunks in ascending order, got 0 behind 1");
  EXPECT_EQ(chunks_problem(with_byte(fuzz_hdf5_btree(), 24 + 32, 0)),
            "chunk index at 0: expected a node of level 0, got 1");
}

}  // namespace
}  // namespace pappus::testing

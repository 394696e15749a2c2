// Chunks and shards that are missing, damaged or cut off.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include <nlohmann/json.hpp>

#include "formats/zarr/zarr_support.h"

namespace pappus::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

const extents_type shape{7, 5};

class zarr_chunks : public ::testing::Test {
 protected:
  std::string path() const { return folder_.file("x.zarr"); }

  void write(const std::string& codec, const extents_type& shard = {}) const {
    write_array(path(), counted<float>(shape), shape, how({3, 2}, shard, codec));
  }

  /// Changes a file of the array.
  template <typename Change>
  void change(const std::string& key, Change&& change) const {
    std::string content = content_of(path() + '/' + key);
    change(content);
    create_file(path() + '/' + key, content);
  }

  /// What loading a chunk says.
  std::string problem(const extents_type& place) const {
    const auto file = formats::open_zarr(path(), detail::layout_of<float>(), 2);
    test_memory memory;
    std::vector<float> chunk(6);
    file->announce(place);
    return message_of<format_error>(
        [&] { file->load(place, memory, reinterpret_cast<std::byte*>(chunk.data())); });
  }

 private:
  temporary_folder folder_;
};

constexpr const char* remedy = "; the file is damaged, or was cut off: write it again";

TEST_F(zarr_chunks, may_be_missing) {
  write("zstd");
  std::filesystem::remove(path() + "/c/1/1");
  const auto file = formats::open_zarr(path(), detail::layout_of<float>(), 2);
  test_memory memory;
  std::vector<float> chunk(6, 42);
  const extents_type place{1, 1};
  file->announce(place);
  EXPECT_FALSE(file->load(place, memory, reinterpret_cast<std::byte*>(chunk.data())));
  EXPECT_EQ(chunk, std::vector<float>(6, 42));
  EXPECT_EQ(file->bytes_read(), 0);
}

TEST_F(zarr_chunks, tell_their_place_and_what_their_codec_says) {
  write("none");
  change("c/1/2", [](std::string& content) { content.pop_back(); });
  EXPECT_EQ(problem({1, 2}),
            path() + ": chunk [1, 2] in c/1/2: expected 24 bytes, got 23" + remedy);
  for (const std::string codec : {"zstd", "gzip", "zlib", "lz4", "blosc"}) {
    SCOPED_TRACE(codec);
    write(codec);
    change("c/1/2", [](std::string& content) { content.resize(content.size() - 1); });
    EXPECT_THAT(problem({1, 2}),
                AllOf(StartsWith(path() + ": chunk [1, 2] in c/1/2: " + codec), HasSubstr(remedy)));
    change("c/1/2", [](std::string& content) { content.clear(); });
    EXPECT_THAT(problem({1, 2}), HasSubstr(": expected bytes, got none"));
    change("c/1/2", [](std::string& content) { content.resize(std::size_t{2} << 20); });
    EXPECT_THAT(problem({1, 2}), HasSubstr(": expected at most 1048"));
  }
}

TEST_F(zarr_chunks, may_not_be_those_of_another_size) {
  for (const std::string codec : {"zstd", "gzip", "zlib", "lz4", "blosc"}) {
    SCOPED_TRACE(codec);
    for (const extents_type& other : {extents_type{3, 1}, extents_type{4, 3}}) {
      write_array(path(), counted<float>(shape), shape, how(other, {}, codec));
      const std::string foreign = content_of(path() + "/c/0/1");
      write(codec);
      change("c/0/1", [&](std::string& content) { content = foreign; });
      EXPECT_THAT(problem({0, 1}),
                  HasSubstr(other[1] == 1 ? "expected 24 decoded bytes, got 12" : ": "));
    }
  }
}

TEST_F(zarr_chunks, are_checked_by_a_sum) {
  write("none");
  change("zarr.json", [](std::string& content) {
    auto array = nlohmann::json::parse(content);
    array["codecs"].push_back({{"name", "crc32c"}});
    content = array.dump();
  });
  EXPECT_THAT(problem({0, 0}), AllOf(HasSubstr("c/0/0: crc32c: expected bytes with the checksum "),
                                     HasSubstr(", got some with ")));
  change("c/0/0", [](std::string& content) { content = "abc"; });
  EXPECT_THAT(problem({0, 0}), HasSubstr("crc32c: expected a checksum of 4 bytes, got 3 bytes"));
}

TEST_F(zarr_chunks, may_be_missing_in_shards) {
  write("zstd", {6, 4});
  std::filesystem::remove(path() + "/c/0/1");
  const auto file = formats::open_zarr(path(), detail::layout_of<float>(), 2);
  test_memory memory;
  std::vector<float> chunk(6);
  const auto load = [&](const extents_type& place) {
    return file->load(place, memory, reinterpret_cast<std::byte*>(chunk.data()));
  };
  EXPECT_FALSE(load({0, 2}));
  EXPECT_TRUE(load({2, 1}));
  EXPECT_EQ(chunk[0], 62);
}

TEST_F(zarr_chunks, lie_in_shards_whose_index_is_read_once) {
  write("none", {6, 4});
  const auto file = formats::open_zarr(path(), detail::layout_of<float>(), 2);
  test_memory memory;
  std::vector<float> chunk(6);
  const auto load = [&](const extents_type& place) {
    return file->load(place, memory, reinterpret_cast<std::byte*>(chunk.data()));
  };
  EXPECT_TRUE(load({0, 0}));
  change("c/0/0", [](std::string& content) { content.replace(content.size() - 20, 16, 16, 'x'); });
  EXPECT_TRUE(load({1, 1}));
  EXPECT_EQ(chunk[0], 32);
  EXPECT_EQ(file->bytes_read(), 48);
}

TEST_F(zarr_chunks, tell_of_bad_shards) {
  write("none", {6, 4});
  const std::string whole = content_of(path() + "/c/0/0");
  const std::string begin = path() + ": chunk [1, 1] in c/0/0: ";
  ASSERT_EQ(whole.size(), 4 * 24U + 4 * 16U + 4U);
  create_file(path() + "/c/0/0", whole.substr(0, 20));
  EXPECT_EQ(problem({1, 1}),
            begin + "truncated: expected a shard index of 68 bytes, got a file of 20" + remedy);
  create_file(path() + "/c/0/0", whole.substr(80));
  EXPECT_THAT(problem({1, 1}), HasSubstr("shard index out of range: expected chunks within the "
                                         "shard's 84 bytes, got chunk 3 with 24 bytes at 72"));
  create_file(path() + "/c/0/0", whole.substr(0, whole.size() - 1) + 'x');
  EXPECT_THAT(problem({1, 1}), HasSubstr(begin + "crc32c: expected bytes with the checksum "));
}

TEST_F(zarr_chunks, lie_within_shards) {
  write("none", {6, 4});
  change("zarr.json", [](std::string& content) {
    auto array = nlohmann::json::parse(content);
    array["codecs"][0]["configuration"]["index_codecs"].erase(1);
    content = array.dump();
  });
  const auto index = [&](std::uint64_t offset, std::uint64_t bytes) {
    std::string content = content_of(path() + "/c/0/0").substr(0, 160);
    std::memcpy(content.data() + 96, &offset, 8);
    std::memcpy(content.data() + 104, &bytes, 8);
    create_file(path() + "/c/0/0", content);
    return problem({0, 0});
  };
  EXPECT_THAT(index(161, 0), HasSubstr("shard index out of range: expected chunks within the "
                                       "shard's 160 bytes, got chunk 0 with 0 bytes at 161"));
  EXPECT_THAT(index(100, ~std::uint64_t{0}), HasSubstr("shard index out of range"));
  EXPECT_THAT(index(~std::uint64_t{0}, 24), HasSubstr("shard index out of range"));
  EXPECT_THAT(index(0, 23), HasSubstr("expected 24 bytes, got 23"));
}

TEST_F(zarr_chunks, that_are_damaged_anywhere_are_read_or_refused) {
  constexpr unsigned seed = 5;
  RecordProperty("seed", seed);
  std::mt19937 random(seed);
  test_memory memory(std::size_t{64} << 20);
  for (const std::string codec : {"none", "zstd", "gzip", "zlib", "lz4", "blosc", "blosc:zstd"}) {
    write_array(path(), counted<std::int32_t>({40, 40}), {40, 40}, how({20, 20}, {20, 40}, codec));
    const std::string whole = content_of(path() + "/c/0/0");
    std::vector<std::byte> chunk(1600);
    for (int round = 0; round < 200; ++round) {
      std::string damaged = whole;
      for (unsigned n = 1 + random() % 3; n > 0; --n) {
        damaged[random() % damaged.size()] = static_cast<char>(random());
      }
      if (random() % 4 == 0) damaged.resize(random() % damaged.size());
      create_file(path() + "/c/0/0", damaged);
      const auto file = formats::open_zarr(path(), detail::layout_of<std::int32_t>(), 2);
      for (const extents_type& place : {extents_type{0, 0}, extents_type{0, 1}}) {
        file->announce(place);
        try {
          file->load(place, memory, chunk.data());
        } catch (const format_error&) {
        }
      }
    }
  }
  EXPECT_EQ(memory.used_bytes(), 0U);
}

}  // namespace
}  // namespace pappus::testing

#include "formats/codecs/codec.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "formats/codecs/codec_chain.h"
#include "formats/codecs/codec_choice.h"
#include "formats/support.h"

namespace pappus::testing {
namespace {

using formats::codec_chain;
using formats::codec_pointer;
using formats::codec_problem;
using formats::make_codec;
using formats::parse_codec;
using ::testing::HasSubstr;
using byte_list = std::vector<std::byte>;

std::vector<codec_pointer> all_codecs() {
  std::vector<codec_pointer> all;
  for (const std::string name : {"zlib", "gzip", "zstd", "lz4", "blosc", "blosc:zstd"}) {
    all.push_back(make_codec(parse_codec(name), 4));
  }
  all.push_back(formats::make_crc32c());
  for (const std::size_t scalar_bytes : {1U, 2U, 3U, 4U, 8U})
    all.push_back(formats::make_shuffle(scalar_bytes));
  all.push_back(formats::make_fletcher32());
  all.push_back(formats::make_lz4_blocks());
  return all;
}

byte_list some_bytes(std::size_t n, unsigned seed, bool random_ones) {
  std::mt19937 random(seed);
  byte_list bytes(n);
  for (std::size_t i = 0; i < n; ++i) {
    bytes[i] = static_cast<std::byte>(random_ones ? random() : i / 4 % 7);
  }
  return bytes;
}

byte_list encoded(const formats::codec& by, const byte_list& plain) {
  byte_list stored(by.bound(plain.size()));
  stored.resize(by.encode(plain, stored));
  return stored;
}

std::string decode_problem(const formats::codec& by, const byte_list& stored, std::size_t room) {
  byte_list out(room);
  return message_of<codec_problem>([&] { by.decode(stored, out); });
}

TEST(codec, decodes_what_it_encoded) {
  for (const codec_pointer& by : all_codecs()) {
    SCOPED_TRACE(by->name());
    for (const std::size_t n : {1U, 7U, 24U, 1000U, 300001U}) {
      for (const bool random_ones : {false, true}) {
        const byte_list plain = some_bytes(n, 3, random_ones);
        byte_list out(n + 5);
        out.resize(by->decode(encoded(*by, plain), out));
        EXPECT_EQ(out, plain) << n;
      }
    }
  }
}

TEST(codec, tells_that_there_is_no_room) {
  const byte_list plain = some_bytes(1000, 3, false);
  for (const codec_pointer& by : all_codecs()) {
    EXPECT_THAT(decode_problem(*by, encoded(*by, plain), 999), HasSubstr(by->name() + ": "));
  }
  EXPECT_EQ(decode_problem(*formats::make_lz4(), encoded(*formats::make_lz4(), plain), 999),
            "lz4: expected at most 999 decoded bytes, got 1000");
  EXPECT_EQ(decode_problem(*formats::make_gzip(5), encoded(*formats::make_gzip(5), plain), 999),
            "gzip: expected at most 999 decoded bytes, got more");
}

TEST(codec, tells_what_is_behind_the_compressed_bytes) {
  const byte_list plain = some_bytes(100, 3, false);
  for (const codec_pointer& by : {formats::make_gzip(5), formats::make_zlib(5)}) {
    byte_list stored = encoded(*by, plain);
    stored.resize(stored.size() + 3);
    EXPECT_EQ(decode_problem(*by, stored, 200),
              by->name() + ": expected nothing behind the compressed bytes, got 3 more");
  }
}

TEST(codec, takes_several_members_of_gzip_and_frames_of_zstd) {
  const byte_list first = some_bytes(100, 3, false), second = some_bytes(50, 4, true);
  byte_list both = first;
  both.insert(both.end(), second.begin(), second.end());
  for (const codec_pointer& by : {formats::make_gzip(5), formats::make_zstd(1)}) {
    byte_list stored = encoded(*by, first);
    const byte_list more = encoded(*by, second);
    stored.insert(stored.end(), more.begin(), more.end());
    byte_list out(150);
    EXPECT_EQ(by->decode(stored, out), 150U);
    EXPECT_EQ(out, both);
    EXPECT_THAT(decode_problem(*by, stored, 149), HasSubstr(by->name()));
  }
}

TEST(codec, takes_any_bytes) {
  constexpr unsigned seed = 11;
  RecordProperty("seed", seed);
  std::mt19937 random(seed);
  for (const codec_pointer& by : all_codecs()) {
    SCOPED_TRACE(by->name());
    const byte_list stored = encoded(*by, some_bytes(5000, 3, false));
    for (int round = 0; round < 1000; ++round) {
      byte_list damaged = stored;
      for (unsigned n = random() % 4; n > 0; --n) {
        damaged[random() % damaged.size()] = static_cast<std::byte>(random());
      }
      if (random() % 2 == 0) damaged.resize(1 + random() % damaged.size());
      byte_list out(round % 2 == 0 ? 5000 : random() % 6000);
      try {
        EXPECT_LE(by->decode(damaged, out), out.size());
      } catch (const codec_problem&) {
      }
    }
  }
}

TEST(codec, gathers_bytes_of_the_same_significance) {
  const auto bytes = [](std::initializer_list<int> values) {
    byte_list list;
    for (const int value : values) list.push_back(static_cast<std::byte>(value));
    return list;
  };
  const byte_list plain = bytes({1, 2, 3, 4, 5, 6, 7});
  EXPECT_EQ(encoded(*formats::make_shuffle(2), plain), bytes({1, 3, 5, 2, 4, 6, 7}));
  EXPECT_EQ(encoded(*formats::make_shuffle(3), plain), bytes({1, 4, 2, 5, 3, 6, 7}));
  EXPECT_EQ(encoded(*formats::make_shuffle(8), plain), plain);
}

TEST(codec, takes_checksums_of_old_files) {
  const byte_list plain = some_bytes(1001, 3, true);
  byte_list stored = encoded(*formats::make_fletcher32(), plain), out(1001);
  std::swap(stored[1001], stored[1002]);
  std::swap(stored[1003], stored[1004]);
  EXPECT_EQ(formats::make_fletcher32()->decode(stored, out), 1001U);
  std::swap(stored[1002], stored[1003]);
  EXPECT_THAT(decode_problem(*formats::make_fletcher32(), stored, 1001),
              HasSubstr("fletcher32: expected bytes with the checksum "));
}

TEST(codec, tells_of_bad_blocks_of_lz4) {
  const auto by = formats::make_lz4_blocks();
  const byte_list stored = encoded(*by, some_bytes(1000, 3, false));
  const auto without = [&](std::size_t bytes) {
    byte_list cut = stored;
    cut.resize(cut.size() - bytes);
    return decode_problem(*by, cut, 1000);
  };
  EXPECT_EQ(without(stored.size() - 11), "lz4: expected 12 bytes before the blocks, got 11");
  EXPECT_EQ(without(stored.size() - 14), "lz4: expected a block of 0 bytes, got 2");
  EXPECT_EQ(without(1), "lz4: expected a block of " + std::to_string(stored.size() - 16) +
                            " bytes, got " + std::to_string(stored.size() - 13));
  byte_list other = stored;
  other.resize(other.size() + 2);
  EXPECT_EQ(decode_problem(*by, other, 1000),
            "lz4: expected nothing behind the blocks, got 2 bytes");
  EXPECT_EQ(decode_problem(*by, stored, 999), "lz4: expected at most 999 decoded bytes, got 1000");
  other = stored;
  std::fill_n(other.begin() + 8, 4, std::byte{0});
  EXPECT_EQ(decode_problem(*by, other, 1000), "lz4: expected blocks of at least 1 byte, got 0");
}

TEST(codec_choice, is_named_with_a_level) {
  EXPECT_EQ(parse_codec("none").name, "none");
  EXPECT_EQ(parse_codec("zstd").level, 1);
  EXPECT_EQ(parse_codec("zstd:22").level, 22);
  EXPECT_EQ(parse_codec("gzip:9").level, 9);
  EXPECT_EQ(parse_codec("blosc").compressor, "lz4");
  EXPECT_EQ(parse_codec("blosc:zstd:3").compressor, "zstd");
  EXPECT_EQ(parse_codec("blosc:zstd:3").level, 3);
  EXPECT_EQ(make_codec(parse_codec("none"), 4), nullptr);
}

TEST(codec_choice, is_one_that_is_known) {
  for (const std::string text : {"", "bz2", "zstd:0", "zstd:23", "zstd:x", "zstd:1:2", "gzip:10",
                                 "none:1", "lz4:1", "blosc:5", "blosc:lz4:5:1", "blosc:snappy"}) {
    EXPECT_EQ(message_of<usage_error>([&] { parse_codec(text); }),
              "codec: expected none, lz4, zstd, gzip, zlib or blosc, with a level (zstd:1 to :22, "
              "gzip, zlib and blosc :0 to :9), for blosc after its compressor (blosc:zstd:5; lz4, "
              "lz4hc, blosclz, zlib or zstd), got \"" +
                  text + '"');
  }
}

TEST(codec_chain, passes_bytes_through_codecs_in_turn) {
  test_memory memory;
  const byte_list plain = some_bytes(1000, 3, false);
  codec_chain chain;
  EXPECT_TRUE(chain.empty());
  EXPECT_EQ(chain.encode(plain, memory, "test").bytes.data(), plain.data());
  chain.add(formats::make_crc32c());
  chain.add(formats::make_zlib(1));
  chain.add(nullptr);
  chain.add(formats::make_lz4());
  chain.add(formats::make_crc32c());
  EXPECT_EQ(chain.name(), "crc32c, zlib, lz4, crc32c");
  const auto stored = chain.encode(plain, memory, "test");
  EXPECT_LE(stored.bytes.size(), chain.bound(1000));
  test_memory scratch;
  byte_list out(1000);
  chain.decode(stored.bytes, scratch, "test", out);
  EXPECT_EQ(out, plain);
  EXPECT_LE(scratch.peak_bytes(), chain.scratch_bytes(1000));
  out.resize(1001);
  EXPECT_EQ(message_of<codec_problem>([&] { chain.decode(stored.bytes, scratch, "test", out); }),
            "expected 1001 decoded bytes, got 1000");
}

TEST(codec_chain, leaves_out_codecs_that_a_chunk_skipped) {
  test_memory memory;
  const byte_list plain = some_bytes(1000, 3, false);
  const auto made = [](unsigned skipped) {
    codec_chain chain;
    if ((skipped & 1U) == 0) chain.add(formats::make_shuffle(4));
    if ((skipped & 2U) == 0) chain.add(formats::make_zlib(1));
    if ((skipped & 4U) == 0) chain.add(formats::make_fletcher32());
    return chain;
  };
  const codec_chain all = made(0);
  for (unsigned skipped = 0; skipped < 8; ++skipped) {
    SCOPED_TRACE(skipped);
    const auto stored = made(skipped).encode(plain, memory, "test");
    test_memory scratch;
    byte_list out(1000);
    all.decode(stored.bytes, scratch, "test", out, skipped);
    EXPECT_EQ(out, plain);
    EXPECT_LE(scratch.peak_bytes(), all.scratch_bytes(1000));
  }
}

}  // namespace
}  // namespace pappus::testing

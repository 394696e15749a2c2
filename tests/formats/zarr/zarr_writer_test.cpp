#include "formats/zarr/zarr_writer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <fstream>
#include <random>
#include <thread>

#include <nlohmann/json.hpp>

#include "formats/array_registry.h"
#include "formats/zarr/zarr_support.h"

namespace pappus::testing {
namespace {

using formats::array_options;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

const std::string every_codec[] = {"none", "zstd",   "zstd:5",     "gzip",           "gzip:9",
                                   "zlib", "lz4",    "blosc",      "blosc:zstd:5",   "blosc:lz4hc",
                                   "",     "zlib:0", "blosc:zlib", "blosc:blosclz:9"};

template <typename T>
void expect_round_trip(const extents_type& extents, const array_options& options) {
  const temporary_folder folder;
  const auto all = counted<T>(extents);
  write_array(folder.file("x.zarr"), all, extents, options);
  EXPECT_EQ(read_array<T>(folder.file("x.zarr"), extents.size()), all);
}

TEST(zarr_writer, writes_what_is_read_with_every_codec) {
  for (const std::string& codec : every_codec) {
    SCOPED_TRACE(codec);
    expect_round_trip<float>({70, 50}, how({30, 20}, {}, codec));
    expect_round_trip<std::int16_t>({70, 50}, how({16, 8}, {32, 16}, codec));
  }
}

TEST(zarr_writer, writes_what_is_read_in_all_shapes) {
  constexpr unsigned seed = 7;
  RecordProperty("seed", seed);
  std::mt19937 random(seed);
  for (int round = 0; round < 150; ++round) {
    extents_type extents;
    array_options options = how({}, {}, every_codec[random() % std::size(every_codec)]);
    const std::size_t rank = 1 + random() % 4;
    const bool in_shards = random() % 3 == 0;
    for (std::size_t d = 0; d < rank; ++d) {
      extents.push_back(1 + static_cast<std::int64_t>(random() % 12));
      options.chunk.push_back(1 + static_cast<std::int64_t>(random() % 14));
      if (!in_shards) continue;
      options.shard.push_back(options.chunk.back() * (1 + static_cast<std::int64_t>(random() % 3)));
    }
    SCOPED_TRACE(::testing::PrintToString(extents) + ::testing::PrintToString(options.chunk) +
                 ::testing::PrintToString(options.shard) + options.codec);
    switch (random() % 4) {
      case 0:
        expect_round_trip<std::uint8_t>(extents, options);
        break;
      case 1:
        expect_round_trip<double>(extents, options);
        break;
      case 2:
        expect_round_trip<std::uint16_t>(extents, options);
        break;
      default:
        expect_round_trip<std::int32_t>(extents, options);
    }
  }
}

TEST(zarr_writer, chooses_chunks_of_a_mebibyte_and_equal_extents) {
  const temporary_folder folder;
  const auto chunk = [&](const extents_type& extents, const array_options& options = {}) {
    return formats::create_zarr(folder.file("x"), detail::layout_of<float>(), extents, options)
        ->shape()
        .chunk;
  };
  EXPECT_THAT(chunk({1 << 30}), ElementsAre(1 << 18));
  EXPECT_THAT(chunk({100000, 100000}), ElementsAre(512, 512));
  EXPECT_THAT(chunk({1000, 1000, 1000}), ElementsAre(64, 64, 64));
  EXPECT_THAT(chunk({100000, 3}), ElementsAre(1 << 16, 3));
  EXPECT_THAT(chunk({7, 5}), ElementsAre(7, 5));
  EXPECT_THAT(chunk({0, 5}), ElementsAre(1, 5));
  const auto plan = formats::plan_zarr(folder.file("x"), detail::layout_of<float>(), {9000, 9000},
                                       how({}, {4096, 3000}));
  EXPECT_THAT(plan.chunk, ElementsAre(512, 375));
}

TEST(zarr_writer, shuffles_numbers_of_several_bytes) {
  const temporary_folder folder;
  write_array(folder.file("x"), counted<float>({7, 5}), {7, 5});
  write_array(folder.file("y"), counted<std::uint8_t>({7, 5}), {7, 5});
  const auto codec = [](const std::string& path, const detail::record_layout& layout) {
    return formats::open_zarr(path, layout, 2)->storage().codec;
  };
  EXPECT_EQ(codec(folder.file("x"), detail::layout_of<float>()), "blosc lz4");
  EXPECT_EQ(codec(folder.file("y"), detail::layout_of<std::uint8_t>()), "zstd");
}

TEST(zarr_writer, writes_pixels_as_a_dimension) {
  struct pixel {
    std::uint8_t red, green, blue;
    bool operator==(const pixel&) const = default;
  };
  const temporary_folder folder;
  std::vector<pixel> all;
  for (const auto red : counted<std::uint8_t>({7, 5})) all.push_back({red, 1, 2});
  write_array(folder.file("x"), all, {7, 5}, how({3, 2}));
  EXPECT_EQ(read_array<pixel>(folder.file("x"), 2), all);
  EXPECT_EQ(read_array<std::uint8_t>(folder.file("x"), 3).size(), 105U);
  write_array(folder.file("x"), all, {7, 5}, how({3, 2}, {6, 4}));
  EXPECT_EQ(read_array<pixel>(folder.file("x"), 2), all);
}

struct record {
  bool flag;
  double value;
  std::array<std::int16_t, 2> pair;
  bool operator==(const record&) const = default;
};

std::vector<record> records() {
  std::vector<record> all;
  for (const auto i : counted<std::int16_t>({7, 5})) {
    all.push_back({i % 2 == 0, i / 8.0, {i, static_cast<std::int16_t>(-i)}});
  }
  return all;
}

TEST(zarr_writer, writes_structures_in_version_2) {
  const temporary_folder folder;
  const auto layout = bound<record>({column("flag", &record::flag), column("va'l", &record::value),
                                     column("pair", &record::pair)});
  for (const std::string& codec : every_codec) {
    write_array(folder.file("x"), records(), {7, 5}, how({3, 2}, {}, codec), layout);
    const auto file = formats::open_zarr(folder.file("x"), layout, 2);
    EXPECT_EQ(file->storage().kind, "zarr 2");
    EXPECT_EQ(read_array<record>(*file), records());
  }
  EXPECT_EQ(message_of<usage_error>([&] {
              formats::create_zarr(folder.file("y"), layout, {7, 5}, how({3, 2}, {6, 4}));
            }),
            folder.file("y") +
                ": shard: expected none for structures, which are written in Zarr 2, got [6, 4]; "
                "write fields of one type, without names, or without shards");
}

TEST(zarr_writer, takes_chunks_from_any_threads) {
  const temporary_folder folder;
  const auto all = counted<std::int32_t>({64, 64});
  for (const extents_type& shard : {extents_type{}, extents_type{16, 32}}) {
    const auto writer = formats::create_zarr(folder.file("x"), detail::layout_of<std::int32_t>(),
                                             {64, 64}, how({8, 8}, shard));
    std::vector<extents_type> places;
    for_places(chunks_of(writer->shape()), [&](const extents_type& at) { places.push_back(at); });
    std::vector<std::thread> threads;
    for (std::size_t t = 0; t < 4; ++t) {
      threads.emplace_back([&, t] {
        for (std::size_t i = t; i < places.size(); i += 4) put_chunk(*writer, places[i], all);
      });
    }
    for (std::thread& each : threads) each.join();
    writer->close();
    const auto file = formats::open_zarr(folder.file("x"), detail::layout_of<std::int32_t>(), 2);
    std::vector<std::thread> readers;
    for (int t = 0; t < 4; ++t) {
      readers.emplace_back([&] { EXPECT_EQ(read_array<std::int32_t>(*file), all); });
    }
    for (std::thread& each : readers) each.join();
  }
}

TEST(zarr_writer, refuses_options_that_can_not_be_right) {
  const temporary_folder folder;
  const auto error = [&](const array_options& options, const extents_type& extents = {7, 5}) {
    const std::string message = message_of<usage_error>([&] {
      formats::create_zarr(folder.file("x"), detail::layout_of<float>(), extents, options);
    });
    return message.starts_with(folder.file("x")) ? message.substr(folder.file("x").size())
                                                 : message;
  };
  EXPECT_EQ(error(how({3})), ": chunk: expected 2 extents of at least 1, got [3]");
  EXPECT_EQ(error(how({3, 0})), ": chunk: expected 2 extents of at least 1, got [3, 0]");
  EXPECT_EQ(error(how({1 << 20, 1 << 10})),
            ": chunk: expected chunks of less than 2 GiB, got [1048576, 1024]");
  EXPECT_EQ(error(how({3, 2}, {6, 3})),
            ": shard: expected multiples of the chunk's extents [3, 2], got [6, 3]");
  EXPECT_EQ(error(how({}, {6, -3})), ": shard: expected 2 extents of at least 1, got [6, -3]");
  EXPECT_EQ(error(how({1, 1}, {1 << 12, 1 << 11})),
            ": shard: expected at most 2^22 chunks a shard, and 1 TiB, got [4096, 2048]");
  EXPECT_EQ(error({}, {}), ": expected one dimension or more, and less than 2^63 bytes, got []");
  EXPECT_EQ(error({}, {-1}),
            ": expected one dimension or more, and less than 2^63 bytes, got [-1]");
  EXPECT_EQ(
      error({}, {std::int64_t{1} << 62}),
      ": expected one dimension or more, and less than 2^63 bytes, got [4611686018427387904]");
  EXPECT_THAT(error(how({}, {}, "bzip2")), HasSubstr("codec: expected none, lz4, zstd"));
  EXPECT_TRUE(folder.names().empty());
}

TEST(zarr_writer, makes_the_groups_that_an_array_is_in) {
  const temporary_folder folder;
  const auto all = counted<float>({30, 20});
  const auto red = folder.file("store.zarr/day/red"), blue = folder.file("store.zarr/blue");
  write_array(red, all, {30, 20}, how({10, 10}, {}, "zstd"));
  write_array(blue, all, {30, 20}, how({10, 10}, {}, "zstd"));
  EXPECT_EQ(read_array<float>(red, 2), all);
  EXPECT_EQ(read_array<float>(blue, 2), all);
  for (const auto* group : {"store.zarr", "store.zarr/day"}) {
    std::ifstream metadata(folder.file(group) + "/zarr.json");
    EXPECT_EQ(nlohmann::json::parse(metadata)["node_type"], "group") << group;
  }
  EXPECT_THAT(message_of<format_error>([&] { read_array<float>(folder.file("store.zarr"), 2); }),
              HasSubstr("got a group with \"blue\", \"day/red\""));
  EXPECT_THAT(message_of<format_error>([&] { write_array(blue + "/x", all, {30, 20}, {}); }),
              HasSubstr("store.zarr/blue, which is an array"));
  const auto named = formats::create_array(folder.file("named.zarr") + ":/a/b",
                                           detail::layout_of<float>(), {30, 20}, {});
  for_places(chunks_of(named->shape()),
             [&](const extents_type& place) { put_chunk(*named, place, all); });
  named->close();
  EXPECT_EQ(read_array<float>(folder.file("named.zarr/a/b"), 2), all);
  // What is neither is left alone.
  std::filesystem::create_directories(folder.file("old.zarr/other"));
  write_array(folder.file("old.zarr/red"), all, {30, 20}, {});
  EXPECT_FALSE(std::filesystem::exists(folder.file("old.zarr/zarr.json")));
}

TEST(zarr_writer, leaves_no_trace_unless_it_is_closed) {
  const temporary_folder folder;
  const auto all = counted<float>({7, 5});
  {
    const auto writer =
        formats::create_zarr(folder.file("x"), detail::layout_of<float>(), {7, 5}, how({3, 2}));
    put_chunk(*writer, {0, 0}, all);
    ASSERT_EQ(folder.names().size(), 1U);
    EXPECT_THAT(folder.names()[0], ::testing::MatchesRegex("x\\.[0-9]+\\.[0-9]+\\.new"));
  }
  EXPECT_TRUE(folder.names().empty());
}

TEST(zarr_writer, replaces_arrays_and_empty_folders) {
  const temporary_folder folder;
  const auto all = counted<float>({7, 5});
  std::filesystem::create_directory(folder.file("x"));
  write_array(folder.file("x/"), all, {7, 5}, how({3, 2}));
  write_array(folder.file("x"), all, {7, 5}, how({7, 5}));
  EXPECT_EQ(read_array<float>(folder.file("x"), 2), all);
  EXPECT_FALSE(std::filesystem::exists(folder.file("x/c/1")));
  std::filesystem::create_directory_symlink("x", folder.file("link"));
  write_array(folder.file("link"), all, {7, 5}, how({4, 5}));
  EXPECT_TRUE(std::filesystem::is_symlink(folder.file("link")));
  EXPECT_TRUE(std::filesystem::exists(folder.file("x/c/1")));
  EXPECT_EQ(folder.names().size(), 2U);
}

TEST(zarr_writer, replaces_nothing_else) {
  const temporary_folder folder;
  create_below(folder.file("photos"), "cat.jpg", "meow");
  create_file(folder.file("file"), "x");
  const auto error = [&](const std::string& name) {
    return message_of<format_error>(
        [&] { formats::create_zarr(folder.file(name), detail::layout_of<float>(), {7, 5}, {}); });
  };
  const std::string expected =
      ": can't be replaced: expected a Zarr array, an empty folder or "
      "nothing, got ";
  EXPECT_EQ(error("photos"), folder.file("photos") + expected +
                                 "a folder with other files; remove it, or choose another name");
  EXPECT_EQ(error("file"),
            folder.file("file") + expected + "a file; remove it, or choose another name");
  EXPECT_EQ(error("none/x"),
            folder.file("none/x") + ": can't be created: No such file or directory");
  EXPECT_EQ(folder.names().size(), 2U);
}

TEST(zarr_writer, names_the_chunk_that_can_not_be_written) {
  const temporary_folder folder;
  const auto writer = formats::create_zarr(folder.file("x"), detail::layout_of<float>(), {7, 5},
                                           how({3, 2}, {}, "none"));
  create_file(folder.file(folder.names()[0] + "/c"), "in the way");
  EXPECT_EQ(message_of<format_error>([&] { put_chunk(*writer, {1, 2}, counted<float>({7, 5})); }),
            folder.file("x") + ": chunk [1, 2]: can't be created: Not a directory");
}

/// Writes an array again and again until the process is killed.
[[noreturn]] void write_for_ever(const std::string& path) {
  const auto all = counted<float>({32, 32});
  for (;;) write_array(path, all, {32, 32}, how({4, 4}));
}

TEST(zarr_writer, leaves_a_whole_array_when_it_is_killed) {
  const temporary_folder folder;
  const std::string path = folder.file("x.zarr");
  const auto all = counted<float>({32, 32});
  write_array(path, all, {32, 32}, how({4, 4}));
  for (int round = 0; round < 8; ++round) {
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) write_for_ever(path);
    std::this_thread::sleep_for(std::chrono::milliseconds(5 + 7 * round));
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
    EXPECT_EQ(read_array<float>(path, 2), all);
  }
  for (const std::string& name : folder.names()) {
    EXPECT_TRUE(name == "x.zarr" || name.ends_with(".new")) << name;
  }
}

TEST(zarr_writer, writes_what_zarr_python_reads) {
  if (std::system("python3 -c 'import zarr' 2>/dev/null") != 0) {
    GTEST_SKIP() << "SKIP: there is no zarr-python";
  }
  const temporary_folder folder;
  std::string names;
  const auto all = counted<float>({7, 5});
  for (const std::string& codec : every_codec) {
    for (const extents_type& shard : {extents_type{}, extents_type{6, 4}}) {
      const std::string path = folder.file("x" + std::to_string(names.size()));
      write_array(path, all, {7, 5}, how({3, 2}, shard, codec));
      names += ' ' + path;
    }
  }
  const auto flag = column("flag", &record::flag), value = column("value", &record::value),
             pair = column("pair", &record::pair);
  write_array(folder.file("records"), records(), {7, 5}, how({3, 2}), bound<record>({flag, value}));
  write_array(folder.file("pairs"), records(), {7, 5}, how({3, 2}), bound<record>({value, pair}));
  create_file(folder.file("read.py"), R"(import sys, zarr, numpy
folder, *names = sys.argv[1:]
expected = numpy.add.outer(10 * numpy.arange(7), numpy.arange(5))
is_2 = zarr.__version__.startswith("2.")
for name in [] if is_2 else names:
    assert (zarr.open(name, mode="r")[...] == expected).all(), name
records = zarr.open(folder + "/records", mode="r")[...]
assert (records["value"] == expected / 8).all()
assert (records["flag"] == (expected % 2 == 0)).all()
if is_2:  # version 3 of zarr-python knows no fields that are arrays
    pairs = zarr.open(folder + "/pairs", mode="r")[...]["pair"]
    assert (pairs == numpy.stack([expected, -expected], 2)).all()
)");
  const std::string command = "python3 -W ignore " + folder.file("read.py") + ' ' + folder.file("");
  EXPECT_EQ(std::system((command + names).c_str()), 0);
}

}  // namespace
}  // namespace pappus::testing

// CSV files that are compressed: the same rows, or the same error, as those of the plain text.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "formats/compressed_support.h"
#include "formats/csv/csv_reader.h"
#include "formats/csv/csv_writer.h"
#include "formats/registry.h"
#include "formats/support.h"

namespace pappus::testing {
namespace {

using formats::csv_options;
using formats::csv_reader;

struct trip {
  std::string_view carrier;
  std::int32_t delay;
};

detail::record_layout trip_layout() {
  return bound<trip>({column("carrier", &trip::carrier), column("delay", &trip::delay)});
}

/// What reading comes to, as text.
std::string trips(std::string_view stored, unsigned threads = 2, const csv_options& options = {},
                  std::int64_t capacity = 1000) {
  test_memory memory;
  test_workers team(threads);
  std::string result;
  try {
    csv_reader reader(source_of(stored, "trips.csv"), trip_layout(), memory, options);
    for (const trip& t : read_all<trip>(reader, team, capacity))
      result += std::string(t.carrier) + "|" + std::to_string(t.delay) + "\n";
  } catch (const format_error& thrown) {
    result = thrown.what();
  }
  return result;
}

std::string many_trips(int rows) {
  std::string text = "carrier,delay\n";
  for (std::int64_t i = 0; i < rows; ++i)
    text += "carrier " + std::to_string(i * 7919 % 1000) + "," + std::to_string(i) + "\n";
  return text;
}

TEST(csv_compressed, gives_the_rows_of_the_text_at_any_slab_size_capacity_and_number_of_threads) {
  const std::string head = "carrier,delay\r\n\"a\"\"\n,b\",1\nBB,-22\r\n\"\",3\n";
  std::string skipped("\x50\x2A\x4D\x18\x03\x00\x00\x00xyz", 11);
  for (const std::string& text :
       {std::string("carrier,delay\n"), std::string("carrier,delay"), head, head + "CC,4",
        head + "CC,x\nDD,y\n", head + "\"CC,4\nDD,5", head + "\"\n\n\nx", head + "CC,4\n\n\r\n",
        head + "\n\n\n\n\n\n\n\n\n", head + "\n\n\nCC,4\n\n", head + "CC,4\n\r",
        head + "\r\n\n\r\r\n", std::string("carrier,delay\n\n\n"),
        std::string("\xEF\xBB\xBF") + head}) {
    const auto expected = trips(text, 1);
    for (const std::string& stored :
         {gzipped(text), zstd_of(text), in_parts(gzipped, text, 7), in_parts(zstd_of, text, 5),
          skipped + zstd_of(text) + skipped, gzipped("") + gzipped(text) + gzipped("")})
      for (const std::size_t slab : {1, 3, 7, 33, 1000})
        for (const std::size_t piece : {1, 3, 64})
          for (const unsigned threads : {1U, 3U})
            for (const std::int64_t capacity : {1, 2, 1000}) {
              const csv_options options{.slab_bytes = slab, .piece_bytes = piece};
              ASSERT_EQ(trips(stored, threads, options, capacity), expected)
                  << text << "slab " << slab << " piece " << piece << " threads " << threads
                  << " capacity " << capacity;
            }
  }
}

TEST(csv_compressed, reads_files_of_many_blocks_again_and_again_and_counts_them) {
  const auto text = many_trips(300'000);
  const auto expected = trips(text);
  ASSERT_GT(text.size(), 5'000'000U);
  for (const auto& stored : {gzipped(text), zstd_of(text), in_parts(gzipped, text, 70'001),
                             in_parts(zstd_of, text, 1'000'000)}) {
    EXPECT_EQ(trips(stored, 3, {}, 100'000), expected);
    EXPECT_EQ(trips(stored, 2, {.slab_bytes = 65'536, .piece_bytes = 4'096}, 777), expected);
    test_memory memory;
    test_workers team(2);
    csv_reader reader(source_of(stored), trip_layout(), memory);
    EXPECT_EQ(reader.count(team), 300'000);
    std::vector<trip> some(1000);
    EXPECT_EQ(reader.read(team, reinterpret_cast<std::byte*>(some.data()), 1000), 1000);
    reader.rewind();  // while more is decompressed
    EXPECT_EQ(read_all<trip>(reader, team).size(), 300'000U);
    EXPECT_EQ(reader.bytes_read(), static_cast<std::int64_t>(stored.size()));
  }
}

TEST(csv_compressed, takes_memory_that_does_not_grow_with_the_file) {
  const auto text = many_trips(400'000);
  for (const auto& stored : {gzipped(text), zstd_of(text)}) {
    test_memory memory;
    test_workers team(2);
    const csv_options options{.slab_bytes = 100'000, .piece_bytes = 10'000};
    csv_reader reader(source_of(stored), trip_layout(), memory, options);
    const auto scratch = reader.scratch_bytes();
    std::vector<trip> part(1000);
    std::int64_t rows = 0;
    while (const auto n = reader.read(team, reinterpret_cast<std::byte*>(part.data()), 1000)) {
      rows += n;
      reader.take_strings();
    }
    EXPECT_EQ(rows, 400'000);
    const std::size_t window = stored[0] == '\x1F' ? 0 : 3 << 20;  // of zstd's level 3, and blocks
    EXPECT_LE(memory.peak_bytes(), scratch + 300'000 + window);
    EXPECT_GT(memory.peak_bytes(), std::size_t{3} << 20) << "blocks are charged";
  }
}

TEST(csv_compressed, names_file_and_place_of_what_is_damaged) {
  const auto text = many_trips(20);
  const auto gzip = gzipped(text), zstd = zstd_of(text);
  const auto size = [](const std::string& of) { return std::to_string(of.size()); };
  auto changed = gzip;
  changed[gzip.size() - 6] ^= 1;  // of the checksum
  EXPECT_EQ(trips(changed), "trips.csv: gzip member at byte 0, at byte " +
                                std::to_string(gzip.size() - 4) +
                                ": damaged: incorrect data check");
  EXPECT_EQ(trips(gzip.substr(0, gzip.size() - 3)),
            "trips.csv: gzip member at byte 0, at byte " + std::to_string(gzip.size() - 3) +
                ": expected more of it, got the end of the file, which is truncated");
  EXPECT_EQ(trips(gzip + gzip.substr(0, 12)),
            "trips.csv: gzip member at byte " + size(gzip) + ", at byte " +
                std::to_string(gzip.size() + 12) +
                ": expected more of it, got the end of the file, which is truncated");
  EXPECT_EQ(trips(gzip + "rest"), "trips.csv: at byte " + size(gzip) +
                                      ": expected another gzip member or the end of the file, got "
                                      "other bytes");
  EXPECT_EQ(trips(zstd + zstd.substr(0, 4) + "\xFF"),
            "trips.csv: zstd frame at byte " + size(zstd) + ", at byte " +
                std::to_string(zstd.size() + 5) +
                ": expected more of it, got the end of the file, which is truncated");
  EXPECT_EQ(trips(zstd.substr(0, zstd.size() - 1)),
            "trips.csv: zstd frame at byte 0, at byte " + std::to_string(zstd.size() - 1) +
                ": expected more of it, got the end of the file, which is truncated");
  EXPECT_EQ(trips(zstd + "rest"), "trips.csv: at byte " + size(zstd) +
                                      ": expected another zstd frame or the end of the file, got "
                                      "other bytes");
  auto broken = zstd;
  broken[5] = '\xFF';
  EXPECT_TRUE(trips(broken).starts_with("trips.csv: zstd frame at byte 0, at byte ")) << broken;
}

TEST(csv_compressed, tells_a_bad_row_before_damage_behind_it_whatever_the_slab) {
  const auto text = many_trips(200'000);
  auto bad = text;
  bad.replace(bad.find(",4\n"), 3, ",x\n");
  for (const auto& stored : {gzipped(bad), zstd_of(bad)}) {
    const auto cut = stored.substr(0, stored.size() / 2);
    for (const std::size_t slab : {1'000U, 300'000U, 16U << 20})
      EXPECT_EQ(
          trips(cut, 2, {.slab_bytes = slab, .piece_bytes = 1'000}),
          "trips.csv: row 5 (line 6), column \"delay\": expected a 32-bit integer, got \"x\"");
  }
}

TEST(csv_compressed, survives_any_damaged_byte) {
  const auto text = many_trips(60);
  const auto expected = trips(text);
  for (const auto& stored : {gzipped(text), zstd_of(text), in_parts(gzipped, text, 300)})
    for (std::size_t at = 0; at < stored.size(); ++at)
      for (const int bit : {0, 3, 7}) {
        auto changed = stored;
        changed[at] ^= static_cast<char>(1 << bit);
        const auto outcome = trips(changed);
        // Most damage is found; what zstd has no checksum against, and heads say, may be.
        if (outcome == expected) continue;
        EXPECT_TRUE(outcome.starts_with("trips.csv: ") || stored[0] != '\x1F') << at << outcome;
      }
}

TEST(csv_compressed, needs_the_memory_of_a_zstd_window) {
  const auto text = many_trips(300'000);
  const auto stored = zstd_of(text);
  test_memory memory(std::size_t{3} << 19);
  test_workers team(1);
  const csv_options options{.slab_bytes = 100'000, .piece_bytes = 10'000};
  const auto message = message_of<memory_error>([&] {
    csv_reader reader(source_of(stored), trip_layout(), memory, options);
    read_all<trip>(reader, team);
  });
  EXPECT_TRUE(message.starts_with("flights.csv: decompression: needs ")) << message;
}

TEST(csv_compressed, are_written_by_the_end_of_their_name_and_read_back) {
  temporary_folder folder;
  std::vector<trip> rows;
  for (int i = 0; i < 50'000; ++i) rows.push_back({i % 3 == 0 ? "KL" : "a, \"b\"", i});
  for (const char* name : {"trips.csv", "trips.csv.gz", "trips.csv.zst", "trips.tsv.gz"})
    for (const std::size_t n : {std::size_t{0}, std::size_t{1}, rows.size()})
      for (const bool header : {true, false}) {
        const auto path = folder.file(name);
        test_memory memory;
        test_workers team(3);
        auto layout = trip_layout();
        layout.text.header = header;
        const auto& kind = formats::format_of(path);
        const auto to = kind.create(path, layout, memory);
        const auto* const first = reinterpret_cast<const std::byte*>(rows.data());
        for (std::size_t at = 0; at < n; at += 20'000)
          to->append(team, first + at * sizeof(trip),
                     static_cast<std::int64_t>(std::min<std::size_t>(20'000, n - at)));
        to->close();
        const auto begins = content_of(path).substr(0, 2);
        EXPECT_EQ(begins == "\x1F\x8B", path.ends_with(".gz"));
        EXPECT_EQ(begins == "\x28\xB5", path.ends_with(".zst"));
        const auto from = kind.open(path, layout, memory);
        const auto read = read_all<trip>(*from, team, 7'000);
        ASSERT_EQ(read.size(), n) << name;
        for (std::size_t i = 0; i < n; ++i) {
          ASSERT_EQ(read[i].carrier, rows[i].carrier);
          ASSERT_EQ(read[i].delay, rows[i].delay);
        }
      }
}

TEST(csv_compressed, other_formats_say_how_to_decompress_a_file) {
  temporary_folder folder;
  const auto message = [&](const char* name, std::string_view text) {
    const auto path = folder.file(name);
    create_file(path, gzipped(text));
    test_memory memory;
    const detail::record_layout layout{8, {{"x", detail::cell::f64, 0}}};
    auto said =
        message_of<format_error>([&] { formats::format_of(path).open(path, layout, memory); });
    for (auto at = said.find(path); at != said.npos; at = said.find(path))
      said.replace(at, path.size(), name);
    return said;
  };
  EXPECT_EQ(message("x.npy", "some text"),
            "x.npy: expected an NPY file, got a file that gzip compressed, which only text files "
            "may be; decompress it first: gzip -dk x.npy");
  EXPECT_EQ(message("x.raw.gz", "12345678"),
            "x.raw.gz: expected records as they lie in memory, got a file that gzip compressed, "
            "which only text files may be; decompress it first: gzip -dk x.raw.gz");
  test_memory memory;
  EXPECT_EQ(message_of<usage_error>(
                [&] { formats::format_of("x.npy.zst").create("x.npy.zst", {8, {}}, memory); }),
            "x.npy.zst: expected the name of a text file, as others can't be compressed by zstd, "
            "got another; write a .csv or .jsonl, or an array to a .zarr");
}

}  // namespace
}  // namespace pappus::testing

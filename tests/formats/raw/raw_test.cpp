#include "formats/raw/raw.h"

#include <gtest/gtest.h>

#include "formats/registry.h"
#include "formats/support.h"

namespace pappus::testing {
namespace {

struct pair {
  std::int64_t a;
  double b;
  bool operator==(const pair&) const = default;
};

TEST(raw, writes_what_reads_back_as_the_same_records) {
  const temporary_folder folder;
  test_memory memory;
  test_workers team(3);
  std::vector<pair> records(300'000);
  for (std::size_t i = 0; i < records.size(); ++i) {
    records[i] = {static_cast<std::int64_t>(i), 1.0 / static_cast<double>(i + 1)};
  }
  const auto& format = formats::format_of("pairs.raw");
  const auto writer = format.create(folder.file("pairs.raw"), detail::layout_of<pair>(), memory);
  const auto* bytes = reinterpret_cast<const std::byte*>(records.data());
  writer->append(team, bytes, 100'000);
  writer->append(team, bytes + 100'000 * sizeof(pair), 200'000);
  writer->close();
  const auto reader = format.open(folder.file("pairs.raw"), detail::layout_of<pair>(), memory);
  EXPECT_EQ(reader->rows(), 300'000);
  EXPECT_EQ(read_all<pair>(*reader, team, 123'456), records);
  reader->rewind();
  EXPECT_EQ(read_all<pair>(*reader, team, 300'001), records);
}

TEST(raw, refuses_a_file_whose_size_is_not_a_multiple_of_the_record) {
  test_memory memory;
  EXPECT_EQ(message_of<format_error>([&] {
              formats::raw_reader(source_of("12345678901234567", "x.raw"),
                                  detail::layout_of<pair>(), memory);
            }),
            "x.raw: expected a multiple of the record's 16 bytes, got 17 bytes; the file is cut "
            "off or holds other records");
}

TEST(raw, refuses_text) {
  struct name {
    std::string_view text;
  };
  test_memory memory;
  EXPECT_EQ(message_of<usage_error>([&] {
              formats::raw_reader(source_of("", "x.raw"), detail::layout_of<name>(), memory);
            }),
            "x.raw: expected fields that hold their values, got a string_view, which points "
            "elsewhere; use csv for text");
}

TEST(registry, tells_the_format_by_the_end_of_the_name) {
  EXPECT_STREQ(formats::format_of("a/b.csv").name, "csv");
  EXPECT_STREQ(formats::format_of("b.npy").name, "npy");
  EXPECT_STREQ(formats::format_named("raw", "x").name, "raw");
  EXPECT_EQ(
      message_of<usage_error>([] { formats::format_of("x.orc"); }),
      "x.orc: expected a name that ends in one of .csv, .tsv, .jsonl, .ndjson, .npy, .raw, "
      ".parquet, .arrow, .feather, .arrows, and .gz or .zst behind that for compressed text, got "
      "another; rename it or name the format");
  EXPECT_EQ(message_of<usage_error>([] { formats::format_named("orc", "x"); }),
            "expected a format among csv, tsv, json, ndjson, npy, raw, parquet, arrow, feather, "
            "arrows, got \"orc\"");
}

}  // namespace
}  // namespace pappus::testing

// Files that h5py, hdf5plugin and netCDF4 wrote; see golden/make_golden.py.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "formats/array_registry.h"
#include "formats/array_support.h"

namespace pappus::testing {
namespace {

using ::testing::HasSubstr;

const extents_type golden_extents{7, 5};

class hdf5_golden : public ::testing::Test {
 protected:
#ifndef PAPPUS_HDF5_LIBRARY
  void SetUp() override { GTEST_SKIP() << "SKIP: built without libhdf5"; }
#endif

  /// "latest.h5:/b_tree".
  static std::string path(const std::string& dataset) {
    return PAPPUS_SOURCE_DIR "/tests/formats/hdf5/golden/" + dataset;
  }

  template <typename T>
  static std::unique_ptr<formats::array_file> open(
      const std::string& dataset, std::size_t rank = 2,
      const detail::record_layout& layout = detail::layout_of<T>()) {
    return formats::open_array(path(dataset), layout, rank, {});
  }

  template <typename T>
  static std::vector<T> read(const std::string& dataset, std::size_t rank = 2,
                             const detail::record_layout& layout = detail::layout_of<T>()) {
    return read_array<T>(*open<T>(dataset, rank, layout));
  }

  template <typename T>
  static void expect_counted(const std::string& dataset) {
    SCOPED_TRACE(dataset);
    EXPECT_EQ(read<T>(dataset), counted<T>(golden_extents));
  }

  /// What opening a dataset as numbers of four bytes says behind its name.
  static std::string problem(const std::string& dataset, std::size_t rank = 2) {
    const auto text =
        message_of<format_error>([&] { open<std::int32_t>("earliest.h5:/" + dataset, rank); });
    EXPECT_TRUE(text.starts_with(path("earliest.h5:/" + dataset) + ": ")) << text;
    return text.substr(path("earliest.h5:/" + dataset).size() + 2);
  }
};

template <typename T>
std::vector<T> large_counted() {
  std::vector<T> all;
  for_places({64, 48},
             [&](const extents_type& at) { all.push_back(static_cast<T>(10 * at[0] + at[1])); });
  return all;
}

TEST_F(hdf5_golden, has_elements_in_one_piece_and_in_chunks) {
  expect_counted<std::int32_t>("earliest.h5:/one_piece");
  expect_counted<std::int32_t>("earliest.h5:/compact");
  expect_counted<std::int32_t>("earliest.h5:/plain");
  expect_counted<std::int32_t>("earliest.h5:/growing");
  expect_counted<std::int32_t>("earliest.h5:/attributes");
  const auto file = open<std::int32_t>("earliest.h5:/plain");
  EXPECT_EQ(file->shape().chunk, (extents_type{3, 2}));
  EXPECT_EQ(file->storage().kind, "hdf5");
  EXPECT_EQ(file->storage().codec, "");
}

TEST_F(hdf5_golden, has_all_filters) {
  expect_counted<double>("earliest.h5:/deflate");
  expect_counted<std::uint16_t>("earliest.h5:/shuffle");
  expect_counted<std::int8_t>("earliest.h5:/fletcher32");
  expect_counted<std::uint32_t>("earliest.h5:/all");
  expect_counted<std::int64_t>("earliest.h5:/lz4");
  expect_counted<std::uint64_t>("earliest.h5:/zstd");
  EXPECT_EQ(read<std::int32_t>("earliest.h5:/lz4_blocks"), large_counted<std::int32_t>());
  EXPECT_EQ(read<float>("earliest.h5:/blosc"), large_counted<float>());
  EXPECT_EQ(read<std::int16_t>("earliest.h5:/blosc_zstd"), large_counted<std::int16_t>());
  EXPECT_EQ(open<std::uint32_t>("earliest.h5:/all")->storage().codec, "shuffle, zlib, fletcher32");
}

TEST_F(hdf5_golden, has_chunks_that_skipped_filters) {
  expect_counted<std::int32_t>("earliest.h5:/masks");
}

TEST_F(hdf5_golden, has_numbers_of_the_other_byte_order) {
  expect_counted<std::int16_t>("earliest.h5:/big_endian");
  expect_counted<double>("earliest.h5:/big_endian_chunks");
}

TEST_F(hdf5_golden, has_pixels_as_elements_or_as_a_dimension) {
  struct pixel {
    std::uint8_t red, green, blue;
    bool operator==(const pixel&) const = default;
  };
  std::vector<pixel> pixels;
  std::vector<std::array<std::uint16_t, 3>> wide;
  std::vector<std::uint16_t> flat;
  for (const auto red : counted<std::uint8_t>(golden_extents)) {
    const auto green = static_cast<std::uint8_t>(red + 1),
               blue = static_cast<std::uint8_t>(red + 2);
    pixels.push_back({red, green, blue});
    wide.push_back({red, green, blue});
    flat.insert(flat.end(), {red, green, blue});
  }
  EXPECT_EQ(read<pixel>("earliest.h5:/pixels"), pixels);
  EXPECT_EQ((read<std::array<std::uint16_t, 3>>("earliest.h5:/arrays")), wide);
  EXPECT_EQ(read<std::uint16_t>("earliest.h5:/arrays", 3), flat);
  EXPECT_EQ(read<std::uint8_t>("earliest.h5:/cut_pixels", 3),
            read<std::uint8_t>("earliest.h5:/pixels", 3));
  EXPECT_EQ(
      message_of<format_error>([] { open<pixel>("earliest.h5:/cut_pixels"); }),
      path("earliest.h5:/cut_pixels") +
          ": expected chunks that have elements whole, got chunks of [3, 2, 1] of an array of "
          "shape [7, 5, 3], whose last 1 are part of an element; write it with chunks of all "
          "3 there, or open it as an array of 3 dimensions");
}

TEST_F(hdf5_golden, has_truths_and_enumerations_as_their_numbers) {
  const auto values = counted<int>(golden_extents);
  const auto truths = read<std::int8_t>("earliest.h5:/bool");
  const auto bools = read<std::uint8_t>("earliest.h5:/bool", 2, {1, {{"", detail::cell::boolean}}});
  const auto colours = read<std::uint16_t>("earliest.h5:/enum");
  for (std::size_t i = 0; i < values.size(); ++i) {
    EXPECT_EQ(truths[i], values[i] % 3 == 0);
    EXPECT_EQ(bools[i], values[i] % 3 == 0);
    EXPECT_EQ(colours[i], values[i] % 3);
  }
}

TEST_F(hdf5_golden, has_structures_whose_fields_are_found_by_name) {
  struct record {
    std::array<std::int16_t, 2> y;
    float x;
    std::uint8_t z;
    bool good;
  };
  const auto layout = bound<record>({column("x", &record::x), column("y", &record::y),
                                     column("z", &record::z), column("good", &record::good)});
  const auto values = counted<std::int16_t>(golden_extents);
  for (const std::string name : {"records", "records_in_one_piece"}) {
    const auto all = read<record>("earliest.h5:/" + name, 2, layout);
    for (std::size_t i = 0; i < values.size(); ++i) {
      EXPECT_EQ(all[i].x, values[i]);
      EXPECT_EQ(all[i].y, (std::array<std::int16_t, 2>{values[i], std::int16_t(-values[i])}));
      EXPECT_EQ(all[i].z, values[i]);
      EXPECT_EQ(all[i].good, values[i] % 3 == 0);
    }
  }
  const auto misspelt = bound<record>({column("X1", &record::x)});
  EXPECT_THAT(
      message_of<format_error>([&] { open<record>("earliest.h5:/records", 2, misspelt); }),
      HasSubstr(": expected an array of 2 dimensions of fields \"X1\" <f4, got shape [7, 5] "
                "of fields \"x\" <f4, \"name\" text of 3 bytes, \"y\" >i2 x 2, \"z\" |u1, "
                "\"good\" |i1; did you mean \"x\"?"));
}

TEST_F(hdf5_golden, has_the_fill_value_where_nothing_is_stored) {
  for (const std::string name : {"earliest.h5:/missing", "latest.h5:/missing"}) {
    SCOPED_TRACE(name);
    const auto file = open<float>(name);
    const auto all = read_array<float>(*file);
    const auto values = counted<float>(golden_extents);
    for (std::size_t i = 0; i < values.size(); ++i) {
      const std::size_t y = i / 5, x = i % 5;
      const bool there = (y < 3 && x < 2) || (y >= 3 && y < 6 && x == 4);
      EXPECT_EQ(all[i], there ? values[i] : -1.5F) << i;
    }
    const extents_type missing{1, 1};
    test_memory memory;
    std::array<float, 6> chunk{};
    const auto before = file->bytes_read();
    EXPECT_FALSE(file->load(missing, memory, reinterpret_cast<std::byte*>(chunk.data())));
    EXPECT_EQ(file->bytes_read(), before);
  }
  EXPECT_EQ(read<float>("earliest.h5:/unwritten"), std::vector<float>(35, 1.5F));
  EXPECT_EQ(read<std::int32_t>("earliest.h5:/none_there"), std::vector<std::int32_t>(35, 0));
}

TEST_F(hdf5_golden, has_newer_indices_of_chunks) {
  for (const std::string file : {"latest.h5:/", "user_block_latest.h5:/"}) {
    for (const std::string name : {"one_piece", "compact", "fixed_array", "single_chunk",
                                   "extensible_array", "b_tree", "implicit"})
      expect_counted<std::int32_t>(file + name);
  }
}

TEST_F(hdf5_golden, has_files_with_other_bytes_before_and_short_addresses) {
  expect_counted<std::int32_t>("user_block.h5:/one_piece");
  expect_counted<std::int32_t>("user_block.h5:/deflate");
}

TEST_F(hdf5_golden, has_variables_of_netcdf) {
  const auto all = read<float>("flow.nc:/velocity", 3);
  const auto values = counted<float>(golden_extents);
  ASSERT_EQ(all.size(), 105U);
  for (std::size_t i = 0; i < values.size(); ++i) {
    EXPECT_EQ(all[i], values[i]);
    EXPECT_EQ(all[35 + i], -999) << "the library gives HDF5 the same fill value";
    EXPECT_EQ(all[70 + i], 100 + values[i]);
  }
  expect_counted<std::int16_t>("flow.nc:/run/count");
  EXPECT_EQ(read<double>("flow.nc:/y", 1), (std::vector<double>{0, 0.5, 1, 1.5, 2, 2.5, 3}));
}

TEST_F(hdf5_golden, has_groups_which_name_their_datasets) {
  expect_counted<std::int64_t>("earliest.h5:/group/deep/values");
  expect_counted<std::int64_t>("earliest.h5://group//deep/values/");
  EXPECT_EQ(problem("group"),
            "expected a dataset, got a group with \"deep/values\", \"other\"; open " +
                path("earliest.h5:/group/deep/values"));
  EXPECT_EQ(problem("nothing"), "expected a dataset, got a group without any");
  EXPECT_EQ(problem("a_type"), "expected a dataset, got a named type; open a dataset of the file");
  EXPECT_EQ(message_of<format_error>([] { open<float>("flow.nc"); }),
            path("flow.nc") +
                ": expected a dataset, got a group with \"run/count\", \"time\", "
                "\"velocity\", \"x\", \"y\"; open " +
                path("flow.nc:/run/count"));
  EXPECT_EQ(message_of<format_error>([] { open<float>("flow.nc:/run/velocity"); }),
            path("flow.nc:/run/velocity") +
                ": expected a dataset \"run/velocity\", got a file with \"run/count\", \"time\", "
                "\"velocity\", \"x\", \"y\"; did you mean \"velocity\"?");
  EXPECT_THAT(problem("plain/more"),
              HasSubstr("expected a dataset \"plain/more\", got a file with "));
}

TEST_F(hdf5_golden, has_types_and_ranks_that_must_be_the_same) {
  EXPECT_EQ(problem("one_piece", 1),
            "expected an array of 1 dimension of <i4, got shape [7, 5] of <i4");
  EXPECT_EQ(problem("deflate"),
            "expected an array of 2 dimensions of <i4, got shape [7, 5] of <f8");
  EXPECT_EQ(problem("half"), "expected an array of 2 dimensions of <i4, got shape [7, 5] of <f2");
  EXPECT_EQ(problem("single", 1), "expected an array of 1 dimension of <i4, got shape [] of <i8");
  EXPECT_EQ(problem("fixed_text", 1),
            "expected an array of 1 dimension of <i4, got shape [2] of text of 5 bytes");
}

TEST_F(hdf5_golden, has_what_is_refused_by_name) {
  const std::string numbers = "expected numbers, or structures of numbers, got ";
  const std::string elsewhere = ", which lie elsewhere in the file; write them as numbers";
  EXPECT_EQ(problem("text", 1), numbers + "text of varying length" + elsewhere);
  EXPECT_EQ(problem("references", 1), numbers + "references to other objects" + elsewhere);
  EXPECT_EQ(problem("sequences", 1), numbers + "sequences of varying length" + elsewhere);
  EXPECT_EQ(problem("empty", 1), "expected an array, got an empty dataset without extents");
  EXPECT_THAT(problem("virtual"), HasSubstr("expected elements in the file itself, got a virtual"));
  EXPECT_THAT(problem("external"), HasSubstr("expected elements in the file itself, got external"));
  const auto filter = [](const std::string& name) {
    return "expected filters among deflate, shuffle, fletcher32, lz4, zstd and blosc, got " + name +
           "; write it with one of these: h5repack -f GZIP=4 OLD NEW";
  };
  EXPECT_EQ(problem("lzf"), filter("lzf (number 32000)"));
  EXPECT_EQ(problem("scaleoffset"), filter("scaleoffset (number 6)"));
  EXPECT_EQ(problem("nbit"), filter("nbit (number 5)"));
  EXPECT_EQ(problem("bitshuffle"), filter("bitshuffle (number 32008)"));
}

}  // namespace
}  // namespace pappus::testing

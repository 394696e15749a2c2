// Stores that zarr-python wrote; see golden/make_golden.py.
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>

#include <nlohmann/json.hpp>

#include "formats/zarr/zarr_support.h"

namespace pappus::testing {
namespace {

const extents_type golden_shape{7, 5};

std::string bytes_of_hex(const std::string& digits) {
  std::string bytes;
  for (std::size_t i = 0; i + 1 < digits.size(); i += 2) {
    bytes += static_cast<char>(std::stoi(digits.substr(i, 2), nullptr, 16));
  }
  return bytes;
}

class golden : public ::testing::Test {
 protected:
  /// A store as a folder: "v2/plain".
  std::string path(const std::string& store) const {
    const std::string version = store.substr(0, 2), name = store.substr(3, store.find('/', 3) - 3);
    std::ifstream file(PAPPUS_SOURCE_DIR "/tests/formats/zarr/golden/" + version + ".json");
    const auto files = nlohmann::json::parse(file);
    for (const auto& [path, content] : files.items()) {
      if (!path.starts_with(name + '/')) continue;
      create_below(folder_.file(version), path, bytes_of_hex(content));
    }
    return folder_.file(store);
  }

  template <typename T>
  void expect_counted(const std::string& store) const {
    SCOPED_TRACE(store);
    EXPECT_EQ(read_array<T>(path(store), 2), counted<T>(golden_shape));
  }

 private:
  temporary_folder folder_;
};

TEST_F(golden, has_arrays_of_version_2_with_all_codecs) {
  expect_counted<std::int32_t>("v2/plain");
  expect_counted<std::int32_t>("v2/zlib");
  expect_counted<double>("v2/gzip");
  expect_counted<std::uint16_t>("v2/zstd");
  expect_counted<std::uint8_t>("v2/lz4");
  expect_counted<float>("v2/blosc");
  expect_counted<std::int32_t>("v2/blosc_zstd_bits");
}

TEST_F(golden, has_arrays_of_version_2_in_other_orders_and_names) {
  expect_counted<std::int32_t>("v2/order_f");
  expect_counted<std::int16_t>("v2/big_endian");
  expect_counted<std::int64_t>("v2/slashes");
}

TEST_F(golden, has_arrays_of_version_3_with_all_codecs) {
  expect_counted<std::int32_t>("v3/plain");
  expect_counted<double>("v3/gzip");
  expect_counted<std::uint16_t>("v3/zstd");
  expect_counted<float>("v3/blosc");
  expect_counted<std::int8_t>("v3/crc32c");
  expect_counted<std::uint64_t>("v3/gzip_crc32c");
  expect_counted<std::int16_t>("v3/numcodecs");
}

TEST_F(golden, has_arrays_of_version_3_in_other_orders_and_names) {
  expect_counted<std::int64_t>("v3/transposed");
  expect_counted<std::uint8_t>("v3/dots");
  expect_counted<std::uint32_t>("v3/v2_keys");
}

TEST_F(golden, has_large_chunks_of_blosc) {
  std::vector<float> all;
  for_places({64, 48}, [&](const extents_type& at) {
    all.push_back(static_cast<float>(10 * at[0] + at[1]));
  });
  EXPECT_EQ(read_array<float>(path("v2/large"), 2), all);
  EXPECT_EQ(read_array<float>(path("v3/large"), 2), all);
}

TEST_F(golden, has_shards_with_the_index_at_either_end) {
  expect_counted<std::int32_t>("v3/shards");
  expect_counted<float>("v3/shards_start");
  const auto file = formats::open_zarr(path("v3/shards/"), detail::layout_of<std::int32_t>(), 2);
  EXPECT_EQ(file->shape().chunk, (extents_type{3, 2}));
  EXPECT_EQ(file->storage().kind, "zarr 3 in shards");
  EXPECT_EQ(file->storage().codec, "zstd");
}

TEST_F(golden, has_bools) {
  for (const std::string store : {"v2/bool", "v3/bool"}) {
    const auto all = read_array<std::uint8_t>(path(store), 2, {1, {{"", detail::cell::boolean}}});
    const auto values = counted<int>(golden_shape);
    for (std::size_t i = 0; i < values.size(); ++i) EXPECT_EQ(all[i], values[i] % 3 == 0);
  }
}

TEST_F(golden, has_pixels_as_elements_or_as_a_dimension) {
  struct pixel {
    std::uint8_t red, green, blue;
    bool operator==(const pixel&) const = default;
  };
  std::vector<pixel> pixels;
  for (const auto red : counted<std::uint8_t>(golden_shape)) {
    pixels.push_back({red, static_cast<std::uint8_t>(red + 1), static_cast<std::uint8_t>(red + 2)});
  }
  EXPECT_EQ(read_array<pixel>(path("v2/pixels"), 2), pixels);
  EXPECT_EQ(read_array<pixel>(path("v3/pixels"), 2), pixels);
  const auto flat = read_array<std::uint8_t>(path("v3/pixels"), 3);
  ASSERT_EQ(flat.size(), 105U);
  EXPECT_EQ(flat[3 * 17 + 2], pixels[17].blue);
  const auto wide = read_array<std::array<std::uint16_t, 3>>(path("v2/pixels_f"), 2);
  for (std::size_t i = 0; i < pixels.size(); ++i) {
    EXPECT_EQ(wide[i],
              (std::array<std::uint16_t, 3>{pixels[i].red, pixels[i].green, pixels[i].blue}));
  }
}

TEST_F(golden, has_structures) {
  struct record {
    float x;
    std::array<std::int16_t, 2> y;
    std::uint8_t z;
  };
  const auto layout =
      bound<record>({column("x", &record::x), column("y", &record::y), column("z", &record::z)});
  const auto all = read_array<record>(path("v2/records"), 2, layout);
  const auto values = counted<std::int16_t>(golden_shape);
  for (std::size_t i = 0; i < values.size(); ++i) {
    EXPECT_EQ(all[i].x, values[i]);
    EXPECT_EQ(all[i].y, (std::array<std::int16_t, 2>{values[i], std::int16_t(-values[i])}));
    EXPECT_EQ(all[i].z, values[i]);
  }
}

TEST_F(golden, has_the_fill_value_where_chunks_are_missing) {
  const auto values = counted<float>(golden_shape);
  const auto some = read_array<float>(path("v2/missing"), 2);
  for (std::int64_t i = 0; i < 35; ++i) {
    const auto at = static_cast<std::size_t>(i);
    const bool missing = i / 5 >= 3 && i / 5 < 6 && i % 5 >= 2 && i % 5 < 4;
    EXPECT_TRUE(missing ? std::isnan(some[at]) : some[at] == values[at]) << i;
  }
  const auto partly = read_array<float>(path("v3/shards_partly"), 2);
  for (std::int64_t i = 0; i < 35; ++i) {
    const auto at = static_cast<std::size_t>(i);
    const bool missing = i / 5 >= 6 || (i / 5 < 3 && i % 5 >= 2 && i % 5 < 4);
    EXPECT_TRUE(missing ? std::isnan(partly[at]) : partly[at] == values[at]) << i;
  }
}

TEST_F(golden, has_groups_which_name_their_arrays) {
  for (const std::string store : {"v2/group", "v3/group"}) {
    const auto layout = detail::layout_of<std::int64_t>();
    EXPECT_EQ(message_of<format_error>([&] { formats::open_zarr(path(store) + '/', layout, 2); }),
              path(store) +
                  ": expected an array, got a group with \"deep/values\", \"other\"; open " +
                  path(store) + "/deep/values");
    EXPECT_EQ(read_array<std::int64_t>(path(store + "/deep/values"), 2),
              counted<std::int64_t>(golden_shape));
  }
}

}  // namespace
}  // namespace pappus::testing

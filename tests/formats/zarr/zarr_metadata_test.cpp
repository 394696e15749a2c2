// What metadata may say, and what is refused.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>

#include <nlohmann/json.hpp>

#include "formats/zarr/zarr_array.h"
#include "formats/zarr/zarr_json.h"
#include "formats/zarr/zarr_support.h"

namespace pappus::testing {
namespace {

using formats::parse_zarr_2;
using formats::parse_zarr_3;
using formats::zarr_problem;
using nlohmann::json;
using ::testing::HasSubstr;

json array_2() {
  return json::parse(R"({"zarr_format": 2, "shape": [7, 5], "chunks": [3, 2], "dtype": "<f4",
    "compressor": null, "fill_value": 0, "order": "C", "filters": null})");
}

json array_3() {
  return json::parse(R"({"zarr_format": 3, "node_type": "array", "shape": [7, 5],
    "data_type": "float32", "fill_value": 0, "attributes": {"n": 1},
    "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [4, 4]}},
    "chunk_key_encoding": {"name": "default", "configuration": {"separator": "/"}},
    "codecs": [{"name": "bytes", "configuration": {"endian": "little"}}]})");
}

json sharded() {
  json array = array_3();
  array["codecs"] = json::parse(R"([{"name": "sharding_indexed", "configuration": {
    "chunk_shape": [2, 2], "codecs": [{"name": "bytes", "configuration": {"endian": "little"}}],
    "index_codecs": [{"name": "bytes", "configuration": {"endian": "little"}},
                     {"name": "crc32c"}]}}])");
  return array;
}

/// What is said of metadata where `value` stands at `place`, a JSON pointer.
std::string problem_2(const std::string& place, const std::string& value) {
  json array = array_2();
  array[json::json_pointer(place)] = json::parse(value);
  return message_of<zarr_problem>([&] { parse_zarr_2(array.dump()); });
}

std::string problem_3(const std::string& place, const std::string& value, json array = array_3()) {
  array[json::json_pointer(place)] = json::parse(value);
  return message_of<zarr_problem>([&] { parse_zarr_3(array.dump()); });
}

std::string without(json array, const std::string& key) {
  array.erase(key);
  return message_of<zarr_problem>(
      [&] { array["zarr_format"] == 2 ? parse_zarr_2(array.dump()) : parse_zarr_3(array.dump()); });
}

TEST(zarr_metadata, may_not_be_other_text) {
  EXPECT_THAT(message_of<zarr_problem>([] { parse_zarr_3("{"); }),
              HasSubstr("expected JSON, got something else: "));
  EXPECT_THAT(message_of<zarr_problem>([] { parse_zarr_2("\xff\xfe"); }), HasSubstr("JSON"));
  EXPECT_EQ(message_of<zarr_problem>([] { parse_zarr_3(std::string(100000, '[')); }),
            "expected JSON that is nested at most 64 deep, got 100000");
  EXPECT_EQ(message_of<zarr_problem>([] { parse_zarr_3("[1]"); }), "expected an object, got [1]");
  EXPECT_EQ(problem_2("/zarr_format", "3"), "zarr_format: expected 2, got 3");
  EXPECT_EQ(problem_3("/zarr_format", "\"3\""), "zarr_format: expected 3, got \"3\"");
  EXPECT_EQ(problem_3("/node_type", "\"table\""), "node_type: expected \"array\", got \"table\"");
}

TEST(zarr_metadata, may_lack_nothing) {
  for (const std::string key : {"shape", "chunks", "dtype", "compressor", "fill_value", "order"}) {
    EXPECT_THAT(without(array_2(), key), HasSubstr("expected an object with \"" + key + "\", got"));
  }
  for (const std::string key :
       {"shape", "data_type", "chunk_grid", "chunk_key_encoding", "codecs", "fill_value"}) {
    EXPECT_THAT(without(array_3(), key), HasSubstr("expected an object with \"" + key + "\", got"));
  }
}

TEST(zarr_metadata, may_have_no_odd_extents) {
  EXPECT_EQ(problem_2("/shape", "[7, -5]"),
            "shape: expected numbers from 0 to 2^63 - 1, got [7,-5]");
  EXPECT_EQ(problem_2("/shape", "[7, 5.5]"),
            "shape: expected numbers from 0 to 2^63 - 1, got [7,5.5]");
  EXPECT_EQ(problem_2("/shape", "[7, 9223372036854775808]"),
            "shape: expected numbers from 0 to 2^63 - 1, got [7,9223372036854775808]");
  EXPECT_EQ(problem_2("/shape", "[]"), "shape: expected a list of 1 to 64 numbers, got []");
  EXPECT_EQ(problem_2("/shape", "7"), "shape: expected a list of 1 to 64 numbers, got 7");
  EXPECT_EQ(problem_2("/shape", "[4294967296, 1073741824]"),
            "shape: expected less than 2^63 bytes (of 4 an item), got [4294967296,1073741824]");
  EXPECT_EQ(problem_2("/chunks", "[0, 2]"),
            "chunks: expected numbers from 1 to 2^63 - 1, got [0,2]");
  EXPECT_EQ(problem_2("/chunks", "[4294967296, 1073741824]"),
            "chunks: expected less than 2^63 bytes (of 4 an item), got [4294967296,1073741824]");
  EXPECT_EQ(problem_2("/chunks", "[2]"),
            "chunks: expected as many numbers as the array has dimensions, 2, got [2]");
  EXPECT_EQ(problem_3("/chunk_grid/configuration/chunk_shape", "[2, 2, 2]"),
            "chunk_grid.configuration.chunk_shape: expected as many numbers as the array has "
            "dimensions, 2, got [2,2,2]");
}

TEST(zarr_metadata, names_what_is_not_read_in_version_2) {
  EXPECT_EQ(problem_2("/dtype", "\"|O\""),
            "dtype: expected a type such as \"<f4\", or fields such as [[\"x\", \"<f4\"], [\"y\", "
            "\"<i2\", [3]]], got \"|O\"");
  EXPECT_THAT(problem_2("/dtype", R"([["x", [["y", "<f4"]]]])"),
              HasSubstr("dtype[0][1]: expected a string, got [[\"y\",\"<f4\"]]"));
  EXPECT_THAT(problem_2("/dtype", R"([["x"]])"),
              HasSubstr("dtype[0]: expected a name, a type and perhaps extents, got [\"x\"]"));
  EXPECT_EQ(problem_2("/compressor", R"({"id": "bz2", "level": 1})"),
            "compressor.id: expected null or a compressor among blosc, zstd, gzip, zlib and lz4, "
            "got \"bz2\"");
  EXPECT_EQ(problem_2("/compressor", "[]"), "compressor: expected an object, got []");
  EXPECT_EQ(problem_2("/filters", R"([{"id": "delta", "dtype": "<f4"}])"),
            "filters[0].id: expected no filter; write the array without filters, got \"delta\"");
  EXPECT_EQ(problem_2("/order", "\"A\""), "order: expected \"C\" or \"F\", got \"A\"");
  EXPECT_EQ(problem_2("/dimension_separator", "\"-\""),
            "dimension_separator: expected \".\" or \"/\", got \"-\"");
}

TEST(zarr_metadata, names_what_is_not_read_in_version_3) {
  for (const std::string type : {R"("complex64")", R"("float16")", R"("r24")",
                                 R"({"name":"structured","configuration":{"fields":[]}})"}) {
    EXPECT_EQ(problem_3("/data_type", type),
              "data_type: expected a type among bool, int8 to int64, uint8 to uint64, float32 and "
              "float64, got " +
                  json::parse(type).dump());
  }
  EXPECT_EQ(problem_3("/chunk_grid/name", "\"rectilinear\"").substr(0, 52),
            "chunk_grid: expected a grid that is \"regular\", got {");
  EXPECT_THAT(problem_3("/chunk_key_encoding/name", "\"hashed\""),
              HasSubstr("chunk_key_encoding: expected the encoding \"default\" or \"v2\", got"));
  EXPECT_EQ(problem_3("/storage_transformers", R"([{"name": "cached"}])"),
            "storage_transformers[0]: expected no storage transformer, got {\"name\":\"cached\"}");
  EXPECT_EQ(problem_3("/extension", R"({"name": "units"})"),
            "extension: expected no extension that must be understood, got {\"name\":\"units\"}");
  EXPECT_EQ(problem_3("/fill_value", "null"), "fill_value: expected a value, got null");
  json array = array_3();
  array["extension"] = {{"name", "units"}, {"must_understand", false}};
  EXPECT_EQ(parse_zarr_3(array.dump()).shape, (extents_type{7, 5}));
}

TEST(zarr_metadata, names_codecs_that_are_not_read) {
  EXPECT_EQ(problem_3("/codecs/0", R"({"name": "zfp"})"),
            "codecs[0]: expected a codec among transpose, bytes and sharding_indexed; write the "
            "array with these, got {\"name\":\"zfp\"}");
  EXPECT_EQ(problem_3("/codecs/1", R"({"name": "bz2"})"),
            "codecs[1]: expected a codec among gzip, zstd, blosc and crc32c; write the array with "
            "these, got {\"name\":\"bz2\"}");
  EXPECT_THAT(problem_3("/codecs/1", R"({"name": "zlib"})"), HasSubstr("codecs[1]: expected"));
  EXPECT_THAT(problem_3("/codecs/1", R"({"name": "numcodecs.delta"})"),
              HasSubstr("codecs[1]: exp"));
  EXPECT_EQ(problem_3("/codecs", "[]"),
            "codecs: expected the codec bytes or sharding_indexed, got []");
  EXPECT_THAT(problem_3("/codecs/0", R"("bytes")"),
              HasSubstr("expected an object with \"endian\", got {}"));
  EXPECT_EQ(problem_3("/codecs/0/configuration/endian", "\"middle\""),
            "codecs[0].configuration.endian: expected \"little\" or \"big\", got \"middle\"");
  EXPECT_EQ(problem_3("/codecs", R"([{"name": "transpose", "configuration": {"order": [0, 0]}}])"),
            "codecs[0].configuration.order: expected each of the numbers 0 to 1 once, got [0,0]");
  EXPECT_THAT(problem_3("/codecs/0", R"({"name": "bytes", "options": 1})"),
              HasSubstr("codecs[0]: expected a name and a configuration, got"));
}

TEST(zarr_metadata, names_shards_that_are_not_read) {
  const std::string how = "/codecs/0/configuration";
  EXPECT_EQ(problem_3(how + "/chunk_shape", "[3, 2]", sharded()),
            "codecs[0].configuration.chunk_shape: expected numbers that divide the shard's extents "
            "[4,4], got [3,2]");
  EXPECT_EQ(problem_3(how + "/chunk_shape", "[2]", sharded()),
            "codecs[0].configuration.chunk_shape: expected as many numbers as the array has "
            "dimensions, 2, got [2]");
  json large = sharded();
  large["chunk_grid"]["configuration"]["chunk_shape"] = {8192, 8192};
  EXPECT_EQ(problem_3(how + "/chunk_shape", "[2, 2]", large),
            "codecs[0].configuration.chunk_shape: expected at most 2^22 chunks a shard, got [2,2]");
  EXPECT_EQ(
      problem_3(how + "/index_location", "\"middle\"", sharded()),
      "codecs[0].configuration.index_location: expected \"start\" or \"end\", got \"middle\"");
  EXPECT_THAT(problem_3(how + "/index_codecs/1", R"({"name": "gzip"})", sharded()),
              HasSubstr("expected no codec but crc32c for the index of shards"));
  EXPECT_THAT(problem_3(how + "/codecs/0", sharded()["codecs"][0].dump(), sharded()),
              HasSubstr("expected a codec among transpose and bytes"));
  EXPECT_THAT(problem_3("/codecs/1", R"({"name": "gzip"})", sharded()),
              HasSubstr("codecs[1]: expected no codec behind sharding_indexed; "));
}

template <typename T>
T fill_2(const std::string& dtype, const std::string& value) {
  json array = array_2();
  array["dtype"] = dtype;
  array["fill_value"] = json::parse(value);
  const auto fill = parse_zarr_2(array.dump()).fill;
  T result{};
  EXPECT_EQ(fill.size(), sizeof result);
  std::memcpy(&result, fill.data(), sizeof result);
  return result;
}

TEST(zarr_metadata, has_fill_values_of_all_types) {
  EXPECT_EQ(fill_2<float>("<f4", "null"), 0);
  EXPECT_EQ(fill_2<float>("<f4", "-1.5"), -1.5F);
  EXPECT_TRUE(std::isnan(fill_2<double>("<f8", "\"NaN\"")));
  EXPECT_EQ(fill_2<float>("<f4", "\"Infinity\""), std::numeric_limits<float>::infinity());
  EXPECT_EQ(fill_2<double>("<f8", "\"-Infinity\""), -std::numeric_limits<double>::infinity());
  EXPECT_EQ(fill_2<std::uint32_t>("<f4", "\"0x7fc00001\""), 0x7fc00001U);
  EXPECT_EQ(fill_2<std::uint64_t>("<u8", "18446744073709551615"), ~std::uint64_t{0});
  EXPECT_EQ(fill_2<std::int8_t>("|i1", "-128"), -128);
  EXPECT_EQ(fill_2<std::int16_t>("<i2", "7.0"), 7);
  EXPECT_EQ(fill_2<std::uint16_t>(">u2", "258"), 0x0201);
  EXPECT_EQ(fill_2<bool>("|b1", "true"), true);
  EXPECT_EQ(fill_2<std::int64_t>("<M8[us]", "5"), 5);
}

TEST(zarr_metadata, has_fill_values_of_structures) {
  json array = array_2();
  array["dtype"] = json::parse(R"([["x", "<u2"], ["y", "|u1", [2]]])");
  array["fill_value"] = "AQID/w==";
  const auto fill = parse_zarr_2(array.dump()).fill;
  EXPECT_EQ(fill,
            (std::vector<std::byte>{std::byte{1}, std::byte{2}, std::byte{3}, std::byte{255}}));
  array["fill_value"] = 0;
  EXPECT_EQ(parse_zarr_2(array.dump()).fill, std::vector<std::byte>(4));
  for (const json& bad : {json("AQID"), json("AQI*/w=="), json(1), json("")}) {
    array["fill_value"] = bad;
    EXPECT_EQ(message_of<zarr_problem>([&] { parse_zarr_2(array.dump()); }),
              "fill_value: expected null, 0, or 4 bytes in base64, got " + bad.dump());
  }
}

TEST(zarr_metadata, has_no_odd_fill_values) {
  const std::string number =
      "fill_value: expected a number of 32 bits, \"NaN\", \"Infinity\" or "
      "\"-Infinity\", got ";
  EXPECT_EQ(problem_3("/fill_value", "\"zero\""), number + "\"zero\"");
  EXPECT_EQ(problem_3("/fill_value", "1e300"), number + "1e+300");
  EXPECT_EQ(problem_3("/fill_value", "[0]"), number + "[0]");
  EXPECT_EQ(problem_3("/fill_value", "\"0x7fc0\""),
            "fill_value: expected 0x and 8 hexadecimal digits, got \"0x7fc0\"");
  json array = array_3();
  array["data_type"] = "uint8";
  EXPECT_EQ(problem_3("/fill_value", "256", array),
            "fill_value: expected a whole number of 8 bits, got 256");
  EXPECT_EQ(problem_3("/fill_value", "-1", array),
            "fill_value: expected a whole number of 8 bits, got -1");
  array["data_type"] = "bool";
  EXPECT_EQ(problem_3("/fill_value", "2", array), "fill_value: expected true or false, got 2");
}

TEST(zarr_metadata, is_read_as_far_as_64_MiB) {
  const temporary_folder folder;
  create_below(folder.file("x"), "zarr.json", "");
  std::filesystem::resize_file(folder.file("x/zarr.json"), (std::uintmax_t{64} << 20) + 1);
  EXPECT_EQ(
      message_of<format_error>(
          [&] { formats::open_zarr(folder.file("x"), detail::layout_of<float>(), 2); }),
      folder.file("x/zarr.json") + ": expected metadata of at most 64 MiB, got 67108865 bytes");
}

TEST(zarr_metadata, is_looked_for_in_folders) {
  const temporary_folder folder;
  const auto error = [&](const std::string& name) {
    return message_of<format_error>(
        [&] { formats::open_zarr(folder.file(name), detail::layout_of<float>(), 2); });
  };
  EXPECT_EQ(error("none"), folder.file("none") + ": can't be opened: No such file or directory");
  create_file(folder.file("file"), "x");
  EXPECT_EQ(error("file"),
            folder.file("file") + ": expected a folder with a Zarr array, got a file");
  create_below(folder.file("empty"), "x", "");
  EXPECT_EQ(
      error("empty"),
      folder.file("empty") + ": expected a folder with zarr.json or .zarray, got one with neither");
  create_below(folder.file("group"), ".zgroup", R"({"zarr_format": 2})");
  EXPECT_EQ(error("group"),
            folder.file("group") + ": expected an array, got a group without arrays");
  create_below(folder.file("bad"), ".zarray", "{}");
  EXPECT_EQ(error("bad"),
            folder.file("bad/.zarray") + ": expected an object with \"zarr_format\", got {}");
}

TEST(zarr_metadata, has_the_type_and_rank_that_are_wanted) {
  const temporary_folder folder;
  create_below(folder.file("x"), "zarr.json", array_3().dump());
  const auto error = [&](const detail::record_layout& layout, std::size_t rank) {
    return message_of<format_error>([&] { formats::open_zarr(folder.file("x"), layout, rank); });
  };
  EXPECT_EQ(
      error(detail::layout_of<double>(), 2),
      folder.file("x") + ": expected an array of 2 dimensions of <f8, got shape [7, 5] of <f4");
  EXPECT_EQ(
      error(detail::layout_of<float>(), 3),
      folder.file("x") + ": expected an array of 3 dimensions of <f4, got shape [7, 5] of <f4");
  EXPECT_EQ(error(detail::layout_of<std::array<float, 5>>(), 1),
            folder.file("x") +
                ": expected chunks that have elements whole, got chunks of [4, 4] of an array of "
                "shape [7, 5], whose last 1 are part of an element; write it with chunks of all 5 "
                "there, or open it as an array of 2 dimensions");
}

}  // namespace
}  // namespace pappus::testing

// Reads the metadata of arrays, both versions; see zarr_array.h.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "formats/byte_source.h"
#include "formats/npy/npy_header.h"
#include "formats/npy/npy_match.h"
#include "formats/zarr/zarr_array.h"
#include "formats/zarr/zarr_codecs.h"
#include "formats/zarr/zarr_fill.h"
#include "formats/zarr/zarr_json.h"
#include "pappus/error.h"

namespace pappus::formats {
namespace {

using detail::cell;

struct type_name {
  std::string_view name;
  cell type;
};
constexpr type_name type_names[] = {
    {"bool", cell::boolean}, {"int8", cell::i8},     {"int16", cell::i16},   {"int32", cell::i32},
    {"int64", cell::i64},    {"uint8", cell::u8},    {"uint16", cell::u16},  {"uint32", cell::u32},
    {"uint64", cell::u64},   {"float32", cell::f32}, {"float64", cell::f64},
};

void expect_version(const json_view& top, int version) {
  const json_view format = top.at("zarr_format");
  if (format.value() != version) format.fail(std::to_string(version));
}

/// The array, and a chunk, which may be larger, have less than 2^63 bytes.
void check_size(const json_view& place, const std::vector<std::int64_t>& extents,
                std::size_t item_bytes) {
  auto bytes = static_cast<std::int64_t>(item_bytes);
  for (const std::int64_t extent : extents) {
    if (__builtin_mul_overflow(bytes, std::max<std::int64_t>(extent, 1), &bytes)) {
      place.fail("less than 2^63 bytes (of " + std::to_string(item_bytes) + " an item)");
    }
  }
}

void set_chunk(zarr_array& array, const json_view& chunk) {
  array.chunk = chunk.extents(1);
  if (array.chunk.size() != array.shape.size()) {
    chunk.fail("as many numbers as the array has dimensions, " +
               std::to_string(array.shape.size()));
  }
  check_size(chunk, array.chunk, array.item.bytes);
}

char separator_of(const json_view& separator) {
  const std::string text = separator.text();
  if (text != "." && text != "/") separator.fail("\".\" or \"/\"");
  return text[0];
}

std::string python_text(const json_view& text) {
  std::string result = "'";
  for (const char c : text.text()) {
    if (c == '\'' || c == '\\') result += '\\';
    result += c;
  }
  return result + '\'';
}

// Types of version 2 are those of NPY files, but in JSON.
std::string python_type(const json_view& dtype) {
  if (dtype.value().is_string()) return python_text(dtype);
  std::string text = "[";
  for (const json_view& field : dtype.items()) {
    const auto parts = field.items();
    if (parts.size() < 2 || parts.size() > 3) field.fail("a name, a type and perhaps extents");
    text += '(' + python_text(parts[0]) + ", " + python_text(parts[1]);
    if (parts.size() == 3) {
      text += ", (";
      for (const std::int64_t extent : parts[2].extents(1)) text += std::to_string(extent) + ',';
      text += ')';
    }
    text += "), ";
  }
  return text + ']';
}

array_item item_of_dtype(const json_view& dtype) {
  const std::string header = print_npy_header(python_type(dtype), {0});
  array_item item;
  try {
    item = item_of(read_npy_header(*borrow_bytes("dtype", std::as_bytes(std::span(header)))));
  } catch (const format_error&) {
    dtype.fail(
        "a type such as \"<f4\", or fields such as [[\"x\", \"<f4\"], [\"y\", \"<i2\", [3]]]");
  }
  if (item.bytes == 0) dtype.fail("a type that takes bytes");
  return item;
}

void check_filters(const json_view& top) {
  const auto filters = top.find("filters");
  if (!filters || filters->value().is_null()) return;
  for (const json_view& filter : filters->items()) {
    filter.at("id").fail("no filter; write the array without filters");
  }
}

array_item item_named(const json_view& data_type) {
  const std::string name = json_named(data_type).name;
  const auto* const found = std::ranges::find(type_names, name, &type_name::name);
  if (found == std::end(type_names)) {
    data_type.fail("a type among bool, int8 to int64, uint8 to uint64, float32 and float64");
  }
  npy_field field{.name = "", .dtype = npy_dtype(found->type), .type = found->type};
  field.scalar_bytes = detail::cell_bytes(found->type);
  return {false, {field}, field.scalar_bytes};
}

/// Members that must be understood are; others say that they need not.
void check_members(const json_view& top) {
  constexpr std::string_view known[] = {
      "zarr_format",         "node_type", "shape",      "data_type",          "chunk_grid",
      "fill_value",          "codecs",    "attributes", "chunk_key_encoding", "dimension_names",
      "storage_transformers"};
  for (const auto& [key, value] : top.value().items()) {
    if (std::ranges::find(known, key) != std::end(known)) continue;
    if (value.is_object() && value.contains("must_understand") &&
        value["must_understand"] == false) {
      continue;
    }
    json_view(value, key).fail("no extension that must be understood");
  }
  if (const auto transformers = top.find("storage_transformers")) {
    for (const json_view& each : transformers->items()) each.fail("no storage transformer");
  }
}

void set_keys(zarr_array& array, const json_view& encoding) {
  const json_named named(encoding);
  if (named.name != "default" && named.name != "v2") {
    encoding.fail("the encoding \"default\" or \"v2\"");
  }
  array.key_prefix = named.name == "default" ? "c" : "";
  array.key_separator = named.name == "default" ? '/' : '.';
  if (const auto separator = named.configuration.find("separator")) {
    array.key_separator = separator_of(*separator);
  }
}

}  // namespace

zarr_array parse_zarr_2(std::string_view text) {
  const nlohmann::json document = parse_json(text);
  const json_view top(document);
  expect_version(top, 2);
  zarr_array array;
  array.version = 2;
  array.shape = top.at("shape").extents(0);
  array.item = item_of_dtype(top.at("dtype"));
  check_size(top.at("shape"), array.shape, array.item.bytes);
  set_chunk(array, top.at("chunks"));
  check_filters(top);
  array.codecs.add(parse_compressor(top.at("compressor")));
  const json_view order = top.at("order");
  if (order.value() != "C" && order.value() != "F") order.fail("\"C\" or \"F\"");
  if (order.value() == "F" && array.shape.size() > 1) {
    for (std::size_t d = array.shape.size(); d-- > 0;) array.order.push_back(d);
  }
  const auto separator = top.find("dimension_separator");
  array.key_separator = separator ? separator_of(*separator) : '.';
  array.fill = parse_fill(top.at("fill_value"), array.item);
  return array;
}

zarr_array parse_zarr_3(std::string_view text) {
  const nlohmann::json document = parse_json(text);
  const json_view top(document);
  expect_version(top, 3);
  if (top.at("node_type").value() != "array") top.at("node_type").fail("\"array\"");
  check_members(top);
  zarr_array array;
  array.shape = top.at("shape").extents(0);
  array.item = item_named(top.at("data_type"));
  check_size(top.at("shape"), array.shape, array.item.bytes);
  const json_view grid = top.at("chunk_grid");
  const json_named named(grid);
  if (named.name != "regular") grid.fail("a grid that is \"regular\"");
  set_chunk(array, named.configuration.at("chunk_shape"));
  set_keys(array, top.at("chunk_key_encoding"));
  parse_codecs(top.at("codecs"), array);
  const json_view fill = top.at("fill_value");
  if (fill.value().is_null()) fill.fail("a value");
  array.fill = parse_fill(fill, array.item);
  return array;
}

}  // namespace pappus::formats

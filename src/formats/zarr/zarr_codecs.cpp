// What decoding needs isn't in the metadata but among the stored bytes, so configurations of
// compressors are neither checked nor kept. Names that begin with "numcodecs." are those of version
// 2, as zarr-python writes them in version 3.
#include "formats/zarr/zarr_codecs.h"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace pappus::formats {
namespace {

using nlohmann::json;

constexpr std::string_view numcodecs = "numcodecs.";

codec_pointer blosc_of(const json_view& configuration) {
  const auto compressor = configuration.find("cname");
  return make_blosc(compressor && compressor->value().is_string() ? compressor->text() : "", 5, 1);
}

/// Null where the name isn't known.
codec_pointer compressor_named(const std::string& name, const json_view& configuration) {
  if (name == "blosc") return blosc_of(configuration);
  for (const std::string_view known : {"zlib", "gzip", "zstd", "lz4"}) {
    if (name == known) return make_codec({name, "", 1}, 1);
  }
  return nullptr;
}

codec_pointer bytes_codec(const json_named& named) {
  if (named.name == "crc32c") return make_crc32c();
  if (named.name.starts_with(numcodecs)) {
    return compressor_named(named.name.substr(numcodecs.size()), named.configuration);
  }
  if (named.name == "zlib" || named.name == "lz4") return nullptr;  // not in version 3
  return compressor_named(named.name, named.configuration);
}

bool is_big_endian(const json_named& bytes, std::size_t scalar_bytes) {
  const auto endian = bytes.configuration.find("endian");
  if (!endian && scalar_bytes == 1) return false;
  const std::string text = bytes.configuration.at("endian").text();
  if (text != "little" && text != "big") endian->fail("\"little\" or \"big\"");
  return text == "big" && scalar_bytes > 1;
}

void transpose(zarr_array& array, const json_named& named) {
  const json_view order = named.configuration.at("order");
  const auto places = order.extents(0);
  const std::size_t rank = array.shape.size();
  std::vector<std::size_t> sorted(places.begin(), places.end()), next;
  std::ranges::sort(sorted);
  for (std::size_t d = 0; d < rank; ++d) next.push_back(d);
  if (sorted != next) order.fail("each of the numbers 0 to " + std::to_string(rank - 1) + " once");
  if (array.order.empty()) array.order = next;
  for (std::size_t d = 0; d < rank; ++d) {
    next[d] = array.order[static_cast<std::size_t>(places[d])];
  }
  array.order = next;
}

[[noreturn]] void refuse(const json_view& codec, const std::string& expected) {
  codec.fail(expected + "; write the array with these");
}

void parse_inner(const json_view& list, zarr_array& array, bool in_shard);

void parse_index(const json_view& list, zarr_shards& shards) {
  bool first = true;
  for (const json_view& item : list.items()) {
    const json_named named(item);
    if (named.name != (first ? "bytes" : "crc32c")) {
      refuse(item, first ? "the codec bytes" : "no codec but crc32c for the index of shards");
    }
    if (first) {
      shards.index_big_endian = is_big_endian(named, sizeof(std::uint64_t));
    } else {
      shards.index_codecs.add(make_crc32c());
    }
    first = false;
  }
  if (first) list.fail("the codec bytes");
}

void parse_shards(const json_named& named, zarr_array& array) {
  const json_view& how = named.configuration;
  const json_view chunk = how.at("chunk_shape");
  zarr_shards shards{.extents = array.chunk, .index_codecs = {}};
  array.chunk = chunk.extents(1);
  if (array.chunk.size() != shards.extents.size()) {
    chunk.fail("as many numbers as the array has dimensions, " +
               std::to_string(array.shape.size()));
  }
  std::int64_t chunks = 1;
  constexpr std::int64_t chunks_max = std::int64_t{1} << 22;
  for (std::size_t d = 0; d < array.chunk.size(); ++d) {
    if (shards.extents[d] % array.chunk[d] != 0) {
      chunk.fail("numbers that divide the shard's extents " + json(shards.extents).dump());
    }
    if (__builtin_mul_overflow(chunks, shards.extents[d] / array.chunk[d], &chunks) ||
        chunks > chunks_max) {
      chunk.fail("at most 2^22 chunks a shard");
    }
  }
  if (const auto where = how.find("index_location")) {
    shards.index_first = where->value() == "start";
    if (!shards.index_first && where->value() != "end") where->fail("\"start\" or \"end\"");
  }
  parse_index(how.at("index_codecs"), shards);
  parse_inner(how.at("codecs"), array, true);
  array.shards = std::move(shards);
}

void set_byte_order(zarr_array& array, const json_named& named) {
  npy_field& scalar = array.item.fields[0];
  scalar.swapped = is_big_endian(named, scalar.scalar_bytes);
  if (scalar.swapped) scalar.dtype[0] = '>';
}

void parse_inner(const json_view& list, zarr_array& array, bool in_shard) {
  bool are_bytes = false;  // no longer elements
  for (const json_view& item : list.items()) {
    const json_named named(item);
    if (array.shards) refuse(item, "no codec behind sharding_indexed");
    if (are_bytes) {
      auto next = bytes_codec(named);
      if (!next) refuse(item, "a codec among gzip, zstd, blosc and crc32c");
      array.codecs.add(std::move(next));
    } else if (named.name == "transpose") {
      transpose(array, named);
    } else if (named.name == "bytes") {
      set_byte_order(array, named);
      are_bytes = true;
    } else if (named.name == "sharding_indexed" && !in_shard && array.order.empty()) {
      parse_shards(named, array);
    } else {
      refuse(item, in_shard || !array.order.empty()
                       ? "a codec among transpose and bytes"
                       : "a codec among transpose, bytes and sharding_indexed");
    }
  }
  if (!are_bytes && !array.shards) list.fail("the codec bytes or sharding_indexed");
}

}  // namespace

codec_pointer parse_compressor(const json_view& compressor) {
  if (compressor.value().is_null()) return nullptr;
  const json_view name = compressor.at("id");
  auto made = compressor_named(name.text(), compressor);
  if (!made) {
    name.fail("null or a compressor among blosc, zstd, gzip, zlib and lz4");
  }
  return made;
}

void parse_codecs(const json_view& list, zarr_array& array) { parse_inner(list, array, false); }

json print_compressor(const codec_choice& choice) {
  if (choice.name == "none") return nullptr;
  if (choice.name == "lz4") return {{"id", "lz4"}, {"acceleration", 1}};
  if (choice.name == "blosc") {
    return {{"id", "blosc"},
            {"cname", choice.compressor},
            {"clevel", choice.level},
            {"shuffle", 1},
            {"blocksize", 0}};
  }
  return {{"id", choice.name}, {"level", choice.level}};
}

json print_codec(const codec_choice& choice, std::size_t scalar_bytes) {
  json how = {{"level", choice.level}};
  std::string name = choice.name;
  if (name == "lz4" || name == "zlib") name.insert(0, numcodecs);
  if (choice.name == "lz4") how = {{"acceleration", 1}};
  if (choice.name == "zstd") how["checksum"] = false;
  if (choice.name == "blosc") {
    how = {{"cname", choice.compressor},
           {"clevel", choice.level},
           {"shuffle", "shuffle"},
           {"typesize", scalar_bytes},
           {"blocksize", 0}};
  }
  return {{"name", name}, {"configuration", how}};
}

}  // namespace pappus::formats

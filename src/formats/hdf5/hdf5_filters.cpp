#include "formats/hdf5/hdf5_filters.h"

#include <algorithm>
#include <string>
#include <utility>

#include <fmt/format.h>

namespace pappus::formats {
namespace {

// The numbers of filters, which The HDF Group registers.
constexpr std::uint32_t deflate_id = 1, shuffle_id = 2, fletcher32_id = 3, blosc_id = 32001,
                        lz4_id = 32004, zstd_id = 32015;

struct known_filter {
  std::uint32_t id;
  const char* name;
};
/// Files spell the names of these in many ways, or not at all.
constexpr known_filter refused_filters[] = {
    {4, "szip"},          {5, "nbit"},
    {6, "scaleoffset"},   {307, "bzip2"},
    {32000, "lzf"},       {32008, "bitshuffle"},
    {32013, "zfp"},       {32017, "sz"},
    {32019, "fcidecomp"}, {32022, "granular bitround"},
    {32024, "sz3"},       {32026, "blosc2"},
};

[[noreturn]] void refuse(const hdf5_filter& filter) {
  const auto* const known = std::ranges::find(refused_filters, filter.id, &known_filter::id);
  const std::string name = known != std::end(refused_filters) ? known->name
                           : filter.name.empty()              ? "without a name"
                                                              : filter.name;
  throw hdf5_problem(fmt::format(
      "expected filters among deflate, shuffle, fletcher32, lz4, zstd and blosc, got {} "
      "(number {}); write it with one of these: h5repack -f GZIP=4 OLD NEW",
      name, filter.id));
}

codec_pointer codec_of(const hdf5_filter& filter, std::size_t item_bytes) {
  switch (filter.id) {
    case deflate_id:
      return make_zlib(1);
    case shuffle_id:
      return make_shuffle(filter.parameters.empty() ? item_bytes : filter.parameters[0]);
    case fletcher32_id:
      return make_fletcher32();
    case blosc_id: {
      // The stored bytes tell which compressor it was; parameters may.
      constexpr const char* compressors[] = {"blosclz", "lz4", "lz4hc", "snappy", "zlib", "zstd"};
      const bool tells =
          filter.parameters.size() > 6 && filter.parameters[6] < std::size(compressors);
      return make_blosc(tells ? compressors[filter.parameters[6]] : "", 5, item_bytes);
    }
    case lz4_id:
      return make_lz4_blocks();
    case zstd_id:
      return make_zstd(1);
    default:
      refuse(filter);
  }
}

}  // namespace

codec_chain codecs_of(const std::vector<hdf5_filter>& filters, std::size_t item_bytes) {
  constexpr std::size_t filters_max = 32;  // a chunk has a bit for each that it skipped
  if (filters.size() > filters_max)
    throw hdf5_problem(
        fmt::format("expected at most {} filters, got {}", filters_max, filters.size()));
  codec_chain chain;
  for (const hdf5_filter& filter : filters) chain.add(codec_of(filter, item_bytes));
  return chain;
}

}  // namespace pappus::formats

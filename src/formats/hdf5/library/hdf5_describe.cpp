#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "formats/byte_source.h"
#include "formats/hdf5/hdf5_dataset.h"
#include "formats/hdf5/library/hdf5_fetch.h"
#include "formats/hdf5/library/hdf5_library.h"
#include "formats/hdf5/library/hdf5_names.h"
#include "formats/hdf5/library/hdf5_types.h"
#include "pappus/error.h"

namespace pappus::formats {
namespace {

constexpr const char* metadata = "its metadata can't be read";
constexpr unsigned read_only = 0;  // H5F_ACC_RDONLY, which is a call of the library

/// What other files look like that have the same endings.
std::string other_format(const byte_source& file) {
  std::array<char, 3> first{};
  if (file.bytes() >= std::ssize(first)) file.read(0, std::as_writable_bytes(std::span(first)));
  if (std::string(first.data(), first.size()) == "CDF")
    return "a netCDF file of the classic format; convert it: nccopy -k nc4 OLD NEW";
  return "another file";
}

hid_t open_hdf5_file(const hdf5_calls& calls, const std::string& path) {
  const auto source = open_file(path);  // which says it where there is none
  if (calls->call_H5Fis_hdf5(path.c_str()) == 0)
    throw hdf5_problem("expected an HDF5 file, got " + other_format(*source));
  return calls.expect(calls->call_H5Fopen(path.c_str(), read_only, H5P_DEFAULT),
                      "libhdf5 can't open it");
}

std::vector<std::int64_t> extents_of(const std::vector<hsize_t>& extents) {
  std::vector<std::int64_t> result;
  for (const hsize_t extent : extents) {
    if (extent > static_cast<hsize_t>(std::numeric_limits<std::int64_t>::max()))
      throw hdf5_problem(fmt::format("expected extents below 2^63, got {}", extent));
    result.push_back(static_cast<std::int64_t>(extent));
  }
  return result;
}

/// Fills in one part of a description after the other.
class describer {
 public:
  describer(const hdf5_calls& calls, hid_t file, hid_t dataset)
      : calls_(calls),
        file_(file),
        dataset_(dataset),
        type_(calls, calls->call_H5Dget_type(dataset), metadata),
        how_(calls, calls->call_H5Dget_create_plist(dataset), metadata) {}

  hdf5_dataset describe() {
    read_shape();
    auto typed = read_hdf5_type(calls_, type_.id());
    result_.item = std::move(typed.item);
    result_.truths = std::move(typed.truths);
    result_.shape.insert(result_.shape.end(), typed.extents.begin(), typed.extents.end());
    read_layout();
    if (!result_.chunk.empty())
      result_.chunk.insert(result_.chunk.end(), typed.extents.begin(), typed.extents.end());
    read_fill();
    read_filters();
    read_addresses();
    if (!result_.chunk.empty()) find_hdf5_chunks(calls_, dataset_, result_);
    return std::move(result_);
  }

 private:
  void read_shape() {
    const hdf5_object space(calls_, calls_->call_H5Dget_space(dataset_), metadata);
    if (calls_->call_H5Sget_simple_extent_type(space.id()) == H5S_NULL)
      throw hdf5_problem("expected an array, got an empty dataset without extents");
    const int rank = calls_.expect(calls_->call_H5Sget_simple_extent_ndims(space.id()), metadata);
    std::vector<hsize_t> extents(static_cast<std::size_t>(rank));
    calls_.expect(calls_->call_H5Sget_simple_extent_dims(space.id(), extents.data(), nullptr),
                  metadata);
    result_.shape = extents_of(extents);
    result_.grid_rank = extents.size();
  }

  void read_layout() {
    switch (calls_->call_H5Pget_layout(how_.id())) {
      case H5D_COMPACT:
      case H5D_CONTIGUOUS:
        if (calls_.expect(calls_->call_H5Pget_external_count(how_.id()), metadata) > 0)
          throw hdf5_problem(
              "expected elements in the file itself, got external storage, in other files; copy "
              "them: h5repack OLD NEW");
        return;
      case H5D_CHUNKED:
        return read_chunk();
      case H5D_VIRTUAL:
        throw hdf5_problem(
            "expected elements in the file itself, got a virtual dataset, whose elements are those "
            "of others; open these, or copy it: h5repack OLD NEW");
      default:
        calls_.fail(metadata);
    }
  }

  void read_chunk() {
    std::vector<hsize_t> extents(result_.grid_rank);
    const int rank = calls_.expect(
        calls_->call_H5Pget_chunk(how_.id(), static_cast<int>(extents.size()), extents.data()),
        metadata);
    result_.chunk = extents_of(extents);
    if (static_cast<std::size_t>(rank) != extents.size() || rank == 0 ||
        std::ranges::min(result_.chunk) < 1)
      throw hdf5_problem(fmt::format("expected chunks of {} extents of at least 1, got [{}]",
                                     extents.size(), fmt::join(result_.chunk, ", ")));
    unsigned options = 0;
    calls_.expect(calls_->call_H5Pget_chunk_opts(how_.id(), &options), metadata);
    result_.whole_are_filtered = (options & H5D_CHUNK_DONT_FILTER_PARTIAL_CHUNKS) != 0;
  }

  void read_fill() {
    // An item of the file's own type, so that the library converts nothing.
    const std::size_t bytes = calls_->call_H5Tget_size(type_.id());
    std::vector<std::byte> fill(bytes);
    H5D_fill_value_t defined = H5D_FILL_VALUE_UNDEFINED;
    calls_.expect(calls_->call_H5Pfill_value_defined(how_.id(), &defined), metadata);
    if (defined == H5D_FILL_VALUE_USER_DEFINED)
      calls_.expect(calls_->call_H5Pget_fill_value(how_.id(), type_.id(), fill.data()), metadata);
    result_.fill = std::move(fill);
  }

  void read_filters() {
    const int n = calls_.expect(calls_->call_H5Pget_nfilters(how_.id()), metadata);
    for (unsigned i = 0; i < static_cast<unsigned>(n); ++i) {
      unsigned flags = 0, config = 0;
      std::array<unsigned, 32> parameters{};
      std::size_t count = parameters.size();
      std::array<char, 256> name{};
      const H5Z_filter_t id =
          calls_.expect(calls_->call_H5Pget_filter2(how_.id(), i, &flags, &count, parameters.data(),
                                                    name.size() - 1, name.data(), &config),
                        metadata);
      count = std::min(count, parameters.size());
      result_.filters.push_back({static_cast<std::uint32_t>(id),
                                 name.data(),
                                 {parameters.data(), parameters.data() + count}});
    }
  }

  void read_addresses() {
    const hdf5_object how(calls_, calls_->call_H5Fget_create_plist(file_), metadata);
    hsize_t base = 0;
    std::size_t address_bytes = 0, length_bytes = 0;
    calls_.expect(calls_->call_H5Pget_userblock(how.id(), &base), metadata);
    calls_.expect(calls_->call_H5Pget_sizes(how.id(), &address_bytes, &length_bytes), metadata);
    const auto is_known = [](std::size_t n) { return n == 2 || n == 4 || n == 8; };
    if (!is_known(address_bytes) || !is_known(length_bytes))
      throw hdf5_problem(fmt::format(
          "expected addresses and lengths of 2, 4 or 8 bytes, got {} and {}; copy the file: "
          "h5repack OLD NEW",
          address_bytes, length_bytes));
    result_.addresses = {base, address_bytes, length_bytes};
    H5O_info_t info{};
    calls_.expect(calls_->call_H5Oget_info(dataset_, &info), metadata);
    result_.header = info.addr;
  }

  const hdf5_calls& calls_;
  hid_t file_, dataset_;
  hdf5_object type_, how_;
  hdf5_dataset result_;
};

}  // namespace

hdf5_dataset describe_hdf5(const array_path& path) {
  try {
    const hdf5_calls calls;
    const hdf5_object file(calls, open_hdf5_file(calls, path.file), "libhdf5 can't open it");
    const hdf5_object dataset(calls, open_hdf5_dataset(calls, file.id(), path.file, path.inner),
                              metadata);
    return describer(calls, file.id(), dataset.id()).describe();
  } catch (const hdf5_problem& problem) {
    throw format_error(path.text() + ": " + problem.what());
  }
}

}  // namespace pappus::formats

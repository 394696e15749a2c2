#include "formats/hdf5/library/hdf5_fetch.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace pappus::formats {
namespace {

constexpr const char* index_problem = "its chunk index can't be read";

class library_fetcher final : public hdf5_fetcher {
 public:
  /// Keeps the dataset open, and so its file.
  library_fetcher(const hdf5_calls& calls, hid_t dataset) : dataset_(dataset) {
    calls.expect(calls->call_H5Iinc_ref(dataset), index_problem);
  }
  library_fetcher(const library_fetcher&) = delete;
  library_fetcher& operator=(const library_fetcher&) = delete;
  ~library_fetcher() override {
    const hdf5_calls calls;  // which has loaded the library
    calls->call_H5Idec_ref(dataset_);
  }

  std::int64_t stored_bytes(std::span<const std::int64_t> first) const override {
    const std::vector<hsize_t> at(first.begin(), first.end());
    const hdf5_calls calls;
    return static_cast<std::int64_t>(bytes_of(calls, at));
  }

  std::uint32_t fetch(std::span<const std::int64_t> first,
                      std::span<std::byte> out) const override {
    const std::vector<hsize_t> at(first.begin(), first.end());
    const hdf5_calls calls;
    if (const hsize_t bytes = bytes_of(calls, at); bytes != out.size())
      throw hdf5_problem(fmt::format(
          "the file changed while it was read: expected {} bytes, got {}", out.size(), bytes));
    std::uint32_t skipped = 0;
    calls.expect(calls->call_H5Dread_chunk(dataset_, H5P_DEFAULT, at.data(), &skipped, out.data()),
                 "its bytes can't be read");
    return skipped;
  }

 private:
  /// 0: the chunk isn't stored, of which the first call, unlike the second, makes an error; but the
  /// second goes through the whole index.
  hsize_t bytes_of(const hdf5_calls& calls, const std::vector<hsize_t>& first) const {
    hsize_t bytes = 0;
    if (calls->call_H5Dget_chunk_storage_size(dataset_, first.data(), &bytes) >= 0) return bytes;
    unsigned skipped = 0;
    haddr_t address = 0;
    calls.expect(
        calls->call_H5Dget_chunk_info_by_coord(dataset_, first.data(), &skipped, &address, &bytes),
        index_problem);
    if (address != HADDR_UNDEF) calls.fail(index_problem);
    return 0;
  }

  hid_t dataset_;
};

/// Asks for each chunk, at a cost that grows with the square of their number.
hdf5_chunks list_chunks(const hdf5_calls& calls, hid_t dataset, hid_t space, hsize_t n,
                        const hdf5_grid& grid) {
  std::vector<hdf5_chunk> chunks;
  std::vector<hsize_t> first(grid.extents.size());
  for (hsize_t i = 0; i < n; ++i) {
    unsigned skipped = 0;
    haddr_t address = 0;
    hsize_t bytes = 0;
    calls.expect(
        calls->call_H5Dget_chunk_info(dataset, space, i, first.data(), &skipped, &address, &bytes),
        index_problem);
    std::vector<std::int64_t> place;
    for (std::size_t d = 0; d < first.size(); ++d)
      place.push_back(static_cast<std::int64_t>(first[d]) / grid.chunk[d]);
    chunks.push_back({grid.number_of(place), static_cast<std::int64_t>(address),
                      static_cast<std::int64_t>(bytes), skipped});
  }
  std::ranges::sort(chunks, {}, &hdf5_chunk::number);
  return hdf5_chunks(std::move(chunks));
}

}  // namespace

void find_hdf5_chunks(const hdf5_calls& calls, hid_t dataset, hdf5_dataset& described) {
  H5D_chunk_index_t index = H5D_CHUNK_IDX_BTREE;
  calls.expect(calls->call_H5Dget_chunk_index_type(dataset, &index), index_problem);
  if (index == H5D_CHUNK_IDX_BTREE) return;
  // 512 took 10 ms, 4,096 1.4 s; read by the library, each of 20,000 chunks took 3 us.
  constexpr hsize_t asked_for_max = 512;
  const hdf5_object space(calls, calls->call_H5Dget_space(dataset), index_problem);
  hsize_t n = 0;
  calls.expect(calls->call_H5Dget_num_chunks(dataset, space.id(), &n), index_problem);
  // Whether addresses count from the file's beginning depends on the library's version.
  if (n <= asked_for_max && described.addresses.base == 0)
    described.chunks = list_chunks(calls, dataset, space.id(), n, described.grid());
  else
    described.fetcher = std::make_shared<library_fetcher>(calls, dataset);
}

}  // namespace pappus::formats

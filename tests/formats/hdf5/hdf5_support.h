// HDF5 files that libhdf5 writes for tests, and what it tells of them. It is loaded as Pappus does,
// since linked it would make every test of this program start later.
#pragma once

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <hdf5.h>

#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "formats/array_support.h"
#include "formats/hdf5/hdf5_chunks.h"

namespace pappus::testing {

template <typename Function>
Function* hdf5_symbol(const char* name) {
  static void* const library = dlopen(PAPPUS_HDF5_LIBRARY, RTLD_NOW | RTLD_LOCAL);
  void* const found = library == nullptr ? nullptr : dlsym(library, name);
  if (found == nullptr) throw std::runtime_error(std::string(name) + " isn't in libhdf5");
  return reinterpret_cast<Function*>(found);
}
#define PAPPUS_TEST_HDF5(name) hdf5_symbol<decltype(::name)>(#name)

/// How a file of one dataset of 32-bit numbers, "x", is written.
struct hdf5_written_plan {
  extents_type extents, chunk;
  bool latest = false;              ///< the form of HDF5 1.10: other indices of chunks
  std::size_t unlimited = 0;        ///< dimensions that may grow
  std::size_t user_block = 0;       ///< bytes before
  unsigned entries = 0;             ///< half of those of a B-tree's nodes; 0: as usual
  bool whole_are_filtered = false;  ///< and those at the ends aren't
  bool compressed = false;
};

/// A file of libhdf5 with a dataset that tests write to.
class hdf5_written {
 public:
  hdf5_written(const std::string& path, const hdf5_written_plan& plan) : plan_(plan) {
    const auto create = [](const char* of) {
      PAPPUS_TEST_HDF5(H5open)();
      return good(PAPPUS_TEST_HDF5(H5Pcreate)(*hdf5_symbol<hid_t>(of)));
    };
    const hid_t access = create("H5P_CLS_FILE_ACCESS_ID_g");
    if (plan.latest)
      PAPPUS_TEST_HDF5(H5Pset_libver_bounds)(access, H5F_LIBVER_V110, H5F_LIBVER_V110);
    const hid_t created = create("H5P_CLS_FILE_CREATE_ID_g");
    if (plan.user_block > 0) PAPPUS_TEST_HDF5(H5Pset_userblock)(created, plan.user_block);
    if (plan.entries > 0) PAPPUS_TEST_HDF5(H5Pset_istore_k)(created, plan.entries);
    constexpr unsigned truncate = 2;  // H5F_ACC_TRUNC without the calls that the macro makes
    file_ = good(PAPPUS_TEST_HDF5(H5Fcreate)(path.c_str(), truncate, created, access));
    const hid_t how = create("H5P_CLS_DATASET_CREATE_ID_g");
    const auto chunk = sizes(plan.chunk), extents = sizes(plan.extents);
    auto most = extents;
    for (std::size_t d = 0; d < plan.unlimited; ++d) most[d] = H5S_UNLIMITED;
    const int rank = static_cast<int>(chunk.size());
    PAPPUS_TEST_HDF5(H5Pset_chunk)(how, rank, chunk.data());
    if (plan.compressed) PAPPUS_TEST_HDF5(H5Pset_deflate)(how, 4);
    if (plan.whole_are_filtered)
      PAPPUS_TEST_HDF5(H5Pset_chunk_opts)(how, H5D_CHUNK_DONT_FILTER_PARTIAL_CHUNKS);
    const hid_t space = good(PAPPUS_TEST_HDF5(H5Screate_simple)(rank, extents.data(), most.data()));
    dataset_ = good(PAPPUS_TEST_HDF5(H5Dcreate2)(file_, "x", type(), space, 0, how, 0));
    for (const hid_t id : {access, created, how, space}) let_go(id);
  }
  ~hdf5_written() {
    let_go(dataset_);
    let_go(file_);
  }
  hdf5_written(const hdf5_written&) = delete;
  hdf5_written& operator=(const hdf5_written&) = delete;

  /// Writes a box of elements, which are numbered in row-major order.
  void write(const extents_type& low, const extents_type& extents) {
    std::vector<std::int32_t> values;
    for_places(extents, [&](const extents_type& at) {
      std::int64_t number = 0;
      for (std::size_t d = 0; d < at.size(); ++d)
        number = number * plan_.extents[d] + low[d] + at[d];
      values.push_back(static_cast<std::int32_t>(number));
    });
    const auto from = sizes(low), n = sizes(extents);
    const hid_t all = good(PAPPUS_TEST_HDF5(H5Dget_space)(dataset_));
    good(PAPPUS_TEST_HDF5(H5Sselect_hyperslab)(all, H5S_SELECT_SET, from.data(), nullptr, n.data(),
                                               nullptr));
    const hid_t box =
        good(PAPPUS_TEST_HDF5(H5Screate_simple)(static_cast<int>(n.size()), n.data(), nullptr));
    good(PAPPUS_TEST_HDF5(H5Dwrite)(dataset_, type(), box, all, 0, values.data()));
    let_go(all), let_go(box);
  }
  void write() { write(extents_type(plan_.extents.size(), 0), plan_.extents); }

  /// All chunks as the library tells them, by their places.
  std::vector<formats::hdf5_chunk> chunks() const {
    std::vector<formats::hdf5_chunk> result;
    const hid_t space = good(PAPPUS_TEST_HDF5(H5Dget_space)(dataset_));
    hsize_t n = 0, bytes = 0;
    good(PAPPUS_TEST_HDF5(H5Dget_num_chunks)(dataset_, space, &n));
    for (hsize_t i = 0; i < n; ++i) {
      std::vector<hsize_t> first(plan_.extents.size());
      unsigned skipped = 0;
      haddr_t address = 0;
      good(PAPPUS_TEST_HDF5(H5Dget_chunk_info)(dataset_, space, i, first.data(), &skipped, &address,
                                               &bytes));
      extents_type place;
      for (std::size_t d = 0; d < first.size(); ++d)
        place.push_back(static_cast<std::int64_t>(first[d]) / plan_.chunk[d]);
      result.push_back({grid().number_of(place), static_cast<std::int64_t>(address),
                        static_cast<std::int64_t>(bytes), skipped});
    }
    let_go(space);
    std::ranges::sort(result, {}, &formats::hdf5_chunk::number);
    return result;
  }

  formats::hdf5_grid grid() const { return {plan_.extents, plan_.chunk}; }

 private:
  static std::vector<hsize_t> sizes(const extents_type& of) { return {of.begin(), of.end()}; }
  static hid_t type() { return *hdf5_symbol<hid_t>("H5T_STD_I32LE_g"); }
  static void let_go(hid_t id) { PAPPUS_TEST_HDF5(H5Idec_ref)(id); }
  static hid_t good(hid_t result) {
    if (result < 0) throw std::runtime_error("libhdf5 failed");
    return result;
  }

  hdf5_written_plan plan_;
  hid_t file_ = -1, dataset_ = -1;
};

}  // namespace pappus::testing

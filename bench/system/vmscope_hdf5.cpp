// libhdf5 is loaded, as Pappus does, and compiled for where there is one when building.
#include "system/vmscope_hdf5.h"

#ifdef PAPPUS_HDF5_LIBRARY

#include <dlfcn.h>

#define H5_USE_110_API
#include <hdf5.h>

#include "pappus/error.h"
#include "system/vmscope_codec.h"

namespace pappus::bench::vmscope {
namespace {

void* hdf5_library() {
  static void* const library = dlopen(PAPPUS_HDF5_LIBRARY, RTLD_NOW | RTLD_LOCAL);
  return library;
}

template <typename Named>
Named* in_library(const char* name) {
  void* const found = dlsym(hdf5_library(), name);
  if (found == nullptr) throw format_error(std::string("libhdf5 without ") + name);
  return reinterpret_cast<Named*>(found);
}
#define PAPPUS_BENCH_HDF5(name) in_library<decltype(::name)>(#name)

/// The result of a call.
template <typename Result>
Result good(Result result) {
  if (result < 0) throw format_error("the benchmark's input can't be written: libhdf5 failed");
  return result;
}

class hdf5_id {
 public:
  explicit hdf5_id(hid_t id) : id_(good(id)) {}
  ~hdf5_id() { PAPPUS_BENCH_HDF5(H5Idec_ref)(id_); }
  hdf5_id(const hdf5_id&) = delete;
  hdf5_id& operator=(const hdf5_id&) = delete;
  operator hid_t() const { return id_; }

 private:
  hid_t id_;
};

hid_t make_dataset(hid_t file, const layout& of) {
  const hsize_t extents[] = {static_cast<hsize_t>(of.height), static_cast<hsize_t>(of.width)},
                chunk[] = {tile, tile}, bytes[] = {colours},
                most[] = {H5S_UNLIMITED, H5S_UNLIMITED};  // or chunks couldn't be larger
  const hdf5_id how(
      PAPPUS_BENCH_HDF5(H5Pcreate)(*in_library<hid_t>("H5P_CLS_DATASET_CREATE_ID_g")));
  good(PAPPUS_BENCH_HDF5(H5Pset_chunk)(how, 2, chunk));
  good(PAPPUS_BENCH_HDF5(H5Pset_shuffle)(how));
  good(PAPPUS_BENCH_HDF5(H5Pset_deflate)(how, 5));
  const hdf5_id type(
      PAPPUS_BENCH_HDF5(H5Tarray_create2)(*in_library<hid_t>("H5T_STD_U8LE_g"), 1, bytes));
  const hdf5_id space(PAPPUS_BENCH_HDF5(H5Screate_simple)(2, extents, most));
  return PAPPUS_BENCH_HDF5(H5Dcreate2)(file, dataset, type, space, 0, how, 0);
}

}  // namespace

std::string hdf5_missing() {
  return hdf5_library() == nullptr ? "there is no " PAPPUS_HDF5_LIBRARY : "";
}

std::vector<tile_place> write_hdf5(const std::string& path, const layout& of,
                                   const std::vector<std::vector<std::byte>>& tiles) {
  constexpr unsigned truncate = 2;  // H5F_ACC_TRUNC without the call that the macro makes
  good(PAPPUS_BENCH_HDF5(H5open)());
  const hdf5_id file(PAPPUS_BENCH_HDF5(H5Fcreate)(path.c_str(), truncate, 0, 0));
  const hdf5_id written(make_dataset(file, of));
  std::vector<tile_place> places;
  const auto first_of = [&](std::size_t number) {
    const auto across = static_cast<std::size_t>(of.tiles_across());
    return std::vector<hsize_t>{number / across * tile, number % across * tile};
  };
  for (std::size_t i = 0; i < tiles.size(); ++i)
    good(PAPPUS_BENCH_HDF5(H5Dwrite_chunk)(written, 0, 0, first_of(i).data(), tiles[i].size(),
                                           tiles[i].data()));
  good(PAPPUS_BENCH_HDF5(H5Fflush)(file, H5F_SCOPE_GLOBAL));
  for (std::size_t i = 0; i < tiles.size(); ++i) {
    unsigned skipped = 0;
    haddr_t offset = 0;
    hsize_t bytes = 0;
    good(PAPPUS_BENCH_HDF5(H5Dget_chunk_info_by_coord)(written, first_of(i).data(), &skipped,
                                                       &offset, &bytes));
    places.push_back({static_cast<std::int64_t>(offset), static_cast<std::int64_t>(bytes)});
  }
  return places;
}

}  // namespace pappus::bench::vmscope

#else

namespace pappus::bench::vmscope {

std::string hdf5_missing() { return "this was built without libhdf5"; }

std::vector<tile_place> write_hdf5(const std::string&, const layout&,
                                   const std::vector<std::vector<std::byte>>&) {
  return {};
}

}  // namespace pappus::bench::vmscope

#endif

// libhdf5 as a table of functions, loaded when the first HDF5 file is opened: it brings some thirty
// libraries along (those of URLs and of encryption among them), and a program that opens no such
// file starts without them, or where they aren't installed.
//
// Calls come from one thread at a time, whatever the library was built for: hdf5_calls is the lock.
#pragma once

#define H5_USE_110_API  // what newer versions call so is declared as in 1.10
#include <hdf5.h>

#include <mutex>
#include <string>

namespace pappus::formats {

#define PAPPUS_HDF5_FUNCTIONS(f)                                                                \
  f(H5Dget_chunk_index_type) f(H5Dget_chunk_info) f(H5Dget_chunk_info_by_coord) f(H5Iinc_ref)   \
      f(H5Dget_chunk_storage_size) f(H5Dget_create_plist) f(H5Dget_num_chunks) f(H5Dget_space)  \
          f(H5Dget_type) f(H5Dread_chunk) f(H5Ewalk2) f(H5Eget_auto2) f(H5Eset_auto2)           \
              f(H5Fget_create_plist) f(H5Fis_hdf5) f(H5Fopen) f(H5Idec_ref) f(H5Iget_type)      \
                  f(H5Lexists) f(H5Oget_info) f(H5Oopen) f(H5Ovisit) f(H5Pfill_value_defined)   \
                      f(H5Pget_chunk) f(H5Pget_chunk_opts) f(H5Pget_external_count)             \
                          f(H5Pget_fill_value) f(H5Pget_filter2) f(H5Pget_layout)               \
                              f(H5Pget_nfilters) f(H5Pget_sizes) f(H5Pget_userblock)            \
                                  f(H5Sget_simple_extent_dims) f(H5Sget_simple_extent_ndims)    \
                                      f(H5Sget_simple_extent_type) f(H5Tget_array_dims2)        \
                                          f(H5Tget_array_ndims) f(H5Tget_class) f(H5Tget_ebias) \
                                              f(H5Tget_fields) f(H5Tget_member_name)            \
                                                  f(H5Tget_member_offset) f(H5Tget_member_type) \
                                                      f(H5Tget_nmembers) f(H5Tget_order)        \
                                                          f(H5Tget_precision) f(H5Tget_sign)    \
                                                              f(H5Tget_size) f(H5Tget_super)    \
                                                                  f(H5Tis_variable_str)         \
                                                                      f(H5free_memory)          \
                                                                          f(H5get_libversion)

/// The functions, by their own names.
struct hdf5_library {
#define PAPPUS_HDF5_MEMBER(name) decltype(&::name) call_##name = nullptr;
  PAPPUS_HDF5_FUNCTIONS(PAPPUS_HDF5_MEMBER)
#undef PAPPUS_HDF5_MEMBER
};

/// While one exists, its thread alone calls the library, which prints nothing.
class hdf5_calls {
 public:
  /// Loads the library, unless that was done. Throws hdf5_problem where there is none, or one of
  /// another version.
  hdf5_calls();
  ~hdf5_calls();
  hdf5_calls(const hdf5_calls&) = delete;
  hdf5_calls& operator=(const hdf5_calls&) = delete;

  const hdf5_library* operator->() const noexcept { return library_; }

  /// What the library says of the last call that failed, in its own words.
  std::string reason() const;
  /// Throws hdf5_problem with `what` and the reason.
  [[noreturn]] void fail(const std::string& what) const;

  /// The result of a call. Throws hdf5_problem where it is negative, which says that it failed.
  template <typename Result>
  Result expect(Result result, const char* what) const {
    if (result < 0) fail(what);
    return result;
  }

 private:
  std::unique_lock<std::mutex> lock_;
  const hdf5_library* library_;
  H5E_auto2_t report_ = nullptr;  // what the program had set
  void* report_data_ = nullptr;
};

/// An object of the library, let go at the end. Must not outlive the calls that it was made in.
class hdf5_object {
 public:
  /// Throws hdf5_problem for an id that says that a call failed: "WHAT can't be read: REASON".
  hdf5_object(const hdf5_calls& calls, hid_t id, const char* what)
      : calls_(calls), id_(calls.expect(id, what)) {}
  ~hdf5_object() { calls_->call_H5Idec_ref(id_); }
  hdf5_object(const hdf5_object&) = delete;
  hdf5_object& operator=(const hdf5_object&) = delete;

  hid_t id() const noexcept { return id_; }

 private:
  const hdf5_calls& calls_;
  hid_t id_;
};

}  // namespace pappus::formats

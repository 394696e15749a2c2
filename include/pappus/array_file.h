// Arrays that lie in files: opened without reading, larger than memory or not, and written.
//
//     auto slide = s.open<pixel, 2>("slide.zarr");
//     auto view = s.zeros<mean_pixel, 2>({1250, 1250});
//     s.for_each(window, average, slide, view);      // reads the chunks that it needs, each once
//     view.write("view.npy");
//
// A file's array is read like any other: by launches, rows(), host(). It can't be written to;
// copy() makes an array in memory of it.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "pappus/array.h"
#include "pappus/files.h"
#include "pappus/session.h"

namespace pappus {

/// How an array's file is written. What a format can't do it refuses.
struct array_file_options {
  /// Numbers of elements along the dimensions that are stored together, and read together later;
  /// empty: about a mebibyte.
  std::vector<std::int64_t> chunk{};
  /// Those that become one file, several chunks along each dimension (.zarr); empty: a chunk each.
  std::vector<std::int64_t> shard{};
  /// "none", "zstd:5", "gzip:9", "lz4", "blosc:lz4:5", .. (.zarr); empty: the format's own choice.
  std::string codec{};
};

namespace detail {

template <typename T>
void finalise(const std::byte* states, std::byte* results, std::int64_t n) {
  const auto* const from = reinterpret_cast<const T*>(states);
  auto* const to = reinterpret_cast<finalised<T>*>(results);
  for (std::int64_t i = 0; i < n; ++i) to[i] = from[i].finalize();
}

/// What paths name, or of what they name the part that is called so: "day.zarr:/ndvi".
template <list_of_paths Paths>
std::vector<std::string> texts_of(const Paths& paths, const std::string& name) {
  std::vector<std::string> result;
  for (const auto& path : paths) {
    std::string text = path;
    if (!name.empty()) text += (name.front() == '/' ? ":" : ":/") + name;
    result.push_back(std::move(text));
  }
  return result;
}

template <typename T>
written_elements elements_to_write() {
  if constexpr (std::is_same_v<T, finalised<T>>)
    return {layout_of<T>(), nullptr};
  else
    return {layout_of<finalised<T>>(), finalise<T>};
}

}  // namespace detail

template <typename T, std::size_t N, typename... Columns>
  requires(detail::record<T> && N <= 4 && (std::same_as<Columns, column_of<T>> && ...))
array<T, N> session::open(const std::string& path, const Columns&... columns) {
  return detail::array_access::made<T, N>(detail::open_array(core_, detail::record_type_of<T>(),
                                                             detail::file_layout<T>(columns...),
                                                             path, {.rank = N}, false));
}

template <typename T, std::size_t N>
  requires(detail::record<T> && N <= 4)
array<T, N> session::open(const std::string& path, const idx<N>& extents) {
  return detail::array_access::made<T, N>(detail::open_array(core_, detail::record_type_of<T>(),
                                                             detail::layout_of<T>(), path,
                                                             detail::extents_of(extents), true));
}

template <typename T, std::size_t N, detail::list_of_paths Paths, typename... Columns>
  requires(detail::record<T> && N >= 2 && N <= 4 && (std::same_as<Columns, column_of<T>> && ...))
array<T, N> session::open(const Paths& paths, const Columns&... columns) {
  return open<T, N>(paths, "", columns...);
}

template <typename T, std::size_t N, detail::list_of_paths Paths,
          std::convertible_to<std::string> Name, typename... Columns>
  requires(detail::record<T> && N >= 2 && N <= 4 && (std::same_as<Columns, column_of<T>> && ...))
array<T, N> session::open(const Paths& paths, const Name& name, const Columns&... columns) {
  return detail::array_access::made<T, N>(
      detail::open_stack(core_, detail::record_type_of<T>(), detail::file_layout<T>(columns...),
                         detail::texts_of(paths, name), {.rank = N - 1}, false));
}

template <typename T, std::size_t N, detail::list_of_paths Paths>
  requires(detail::record<T> && N >= 2 && N <= 4)
array<T, N> session::open(const Paths& paths, const idx<detail::rank_in_stack<N>>& extents) {
  return detail::array_access::made<T, N>(
      detail::open_stack(core_, detail::record_type_of<T>(), detail::layout_of<T>(),
                         detail::texts_of(paths, ""), detail::extents_of(extents), true));
}

template <typename T, std::size_t N>
void array<T, N>::write(const std::string& path, const array_file_options& how) const {
  detail::write_array_file(part_, detail::elements_to_write<T>(), path, how);
}

template <typename T, std::size_t N>
void array<T, N>::write(const std::string& path) const {
  write(path, array_file_options{});
}

}  // namespace pappus

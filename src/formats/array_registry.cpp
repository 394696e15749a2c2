#include "formats/array_registry.h"

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <string_view>
#include <system_error>

#include <fmt/format.h>

#include "formats/array_path.h"
#include "formats/array_type.h"
#include "formats/hdf5/hdf5.h"
#include "formats/npy/npy_array.h"
#include "formats/raw/raw_array.h"
#include "formats/zarr/zarr.h"
#include "pappus/error.h"

namespace pappus::formats {
namespace {

using detail::record_layout;
using extents_list = std::vector<std::int64_t>;

/// What may hold several arrays, which have names.
enum class names_in { none, folder, file };

/// A format, which opens what says its own extents, or else what is told them.
struct array_format {
  const char* suffix;  ///< ".npy"
  std::unique_ptr<array_file> (*open)(const std::string&, const record_layout&, std::size_t rank);
  std::unique_ptr<array_file> (*open_told)(const std::string&, const record_layout&,
                                           const extents_list&);
  std::unique_ptr<array_writer> (*create)(const std::string&, const record_layout&,
                                          const extents_list&, const array_options&);
  names_in names = names_in::none;
};

// One line a format.
constexpr array_format array_formats[] = {
    {".npy", open_npy_array, nullptr, create_npy_array},
    {".raw", nullptr, open_raw_array, create_raw_array},
    {".zarr", open_zarr, nullptr, create_zarr, names_in::folder},
    {".h5", open_hdf5, nullptr, nullptr, names_in::file},
    {".hdf5", open_hdf5, nullptr, nullptr, names_in::file},
    {".he5", open_hdf5, nullptr, nullptr, names_in::file},
    {".nc", open_hdf5, nullptr, nullptr, names_in::file},
    {".nc4", open_hdf5, nullptr, nullptr, names_in::file},
};

bool ends_so(std::string_view path, std::string_view suffix) {
  while (path.size() > 1 && path.ends_with('/')) path.remove_suffix(1);
  return path.ends_with(suffix);
}

std::string suffixes(bool (*of)(const array_format&)) {
  std::string known;
  for (const auto& one : array_formats)
    if (of(one)) known += (known.empty() ? "" : ", ") + std::string(one.suffix);
  return known;
}

const array_format& format_for(const array_path& path) {
  const auto found = std::ranges::find_if(
      array_formats, [&](const auto& one) { return ends_so(path.file, one.suffix); });
  if (found != std::end(array_formats)) return *found;
  std::error_code ignored;
  for (const auto& one : array_formats)
    if (one.names == names_in::folder && std::filesystem::is_directory(path.file, ignored))
      return one;
  throw usage_error(fmt::format(
      "{}: expected the name of an array's file that ends in one of {}, got another; rename it",
      path.text(), suffixes([](const array_format&) { return true; })));
}

/// The path that the format is asked for.
std::string located(const array_path& path, const array_format& in) {
  if (path.inner.empty()) return path.file;
  if (in.names == names_in::none)
    throw usage_error(fmt::format(
        "{}: expected a file of one array, got \"{}\" as a name within it; leave it out",
        path.text(), path.inner));
  return in.names == names_in::file ? path.text() : path.file + "/" + path.inner;
}

}  // namespace

std::unique_ptr<array_file> open_array(const std::string& path, const record_layout& layout,
                                       std::size_t rank, const extents_list& extents) {
  const array_path parts(path);
  const auto& format = format_for(parts);
  const auto file_path = located(parts, format);
  if (format.open == nullptr) {
    if (extents.empty())
      throw usage_error(fmt::format(
          "{}: expected extents, which {} files don't tell; give them: open<T, N>(path, extents)",
          path, format.suffix));
    return format.open_told(file_path, layout, extents);
  }
  auto file = format.open(file_path, layout, rank);
  if (!extents.empty() && file->shape().extents != extents)
    throw format_error(fmt::format("{}: expected extents {}, got {}", path, shape_text(extents),
                                   shape_text(file->shape().extents)));
  return file;
}

std::unique_ptr<array_writer> create_array(const std::string& path, const record_layout& layout,
                                           const extents_list& extents,
                                           const array_options& options) {
  const array_path parts(path);
  const auto& format = format_for(parts);
  if (format.create == nullptr)
    throw usage_error(fmt::format(
        "{}: expected the name of a file that can be written, which ends in one of {}, got one "
        "that is only read; write one of these",
        path, suffixes([](const array_format& one) { return one.create != nullptr; })));
  return format.create(located(parts, format), layout, extents, options);
}

}  // namespace pappus::formats

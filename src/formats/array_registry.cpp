#include "formats/array_registry.h"

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <string_view>
#include <system_error>

#include <fmt/format.h>

#include "formats/array_type.h"
#include "formats/npy/npy_array.h"
#include "formats/raw/raw_array.h"
#include "formats/zarr/zarr.h"
#include "pappus/error.h"

namespace pappus::formats {
namespace {

using detail::record_layout;
using extents_list = std::vector<std::int64_t>;

/// A format, which opens what says its own extents, or else what is told them.
struct array_format {
  const char* suffix;  ///< ".npy"
  std::unique_ptr<array_file> (*open)(const std::string&, const record_layout&, std::size_t rank);
  std::unique_ptr<array_file> (*open_told)(const std::string&, const record_layout&,
                                           const extents_list&);
  std::unique_ptr<array_writer> (*create)(const std::string&, const record_layout&,
                                          const extents_list&, const array_options&);
  bool has_names = false;  ///< it is a folder, in which there may be several arrays
};

// One line a format.
constexpr array_format array_formats[] = {
    {".npy", open_npy_array, nullptr, create_npy_array},
    {".raw", nullptr, open_raw_array, create_raw_array},
    {".zarr", open_zarr, nullptr, create_zarr, true},
};

/// A name, and within what it names another one: "store.zarr:/level0".
struct parted {
  std::string file, inner;
};

parted parts_of(const std::string& path) {
  const auto at = path.find(":/");
  if (at == std::string::npos) return {path, {}};
  return {path.substr(0, at), path.substr(at + 2)};
}

bool ends_so(std::string_view path, std::string_view suffix) {
  while (path.size() > 1 && path.ends_with('/')) path.remove_suffix(1);
  return path.ends_with(suffix);
}

const array_format& format_for(const std::string& path, const parted& of) {
  const auto found = std::ranges::find_if(
      array_formats, [&](const auto& one) { return ends_so(of.file, one.suffix); });
  if (found != std::end(array_formats)) return *found;
  std::error_code ignored;
  for (const auto& one : array_formats)
    if (one.has_names && std::filesystem::is_directory(of.file, ignored)) return one;
  std::string known;
  for (const auto& one : array_formats)
    known += (known.empty() ? "" : ", ") + std::string(one.suffix);
  throw usage_error(fmt::format(
      "{}: expected the name of an array's file that ends in one of {}, got another; rename it",
      path, known));
}

/// The path that the format is asked for.
std::string located(const std::string& path, const parted& of, const array_format& in) {
  if (of.inner.empty()) return of.file;
  if (!in.has_names)
    throw usage_error(fmt::format(
        "{}: expected a file of one array, got \"{}\" as a name within it; leave it out", path,
        of.inner));
  return of.file + "/" + of.inner;
}

}  // namespace

std::unique_ptr<array_file> open_array(const std::string& path, const record_layout& layout,
                                       std::size_t rank, const extents_list& extents) {
  const auto parts = parts_of(path);
  const auto& format = format_for(path, parts);
  const auto file_path = located(path, parts, format);
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
  const auto parts = parts_of(path);
  const auto& format = format_for(path, parts);
  return format.create(located(path, parts, format), layout, extents, options);
}

}  // namespace pappus::formats

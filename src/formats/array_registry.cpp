#include "formats/array_registry.h"

#include <algorithm>
#include <iterator>
#include <string_view>

#include <fmt/format.h>

#include "formats/array_type.h"
#include "formats/npy/npy_array.h"
#include "formats/raw/raw_array.h"
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
};

// One line a format.
constexpr array_format array_formats[] = {
    {".npy", open_npy_array, nullptr, create_npy_array},
    {".raw", nullptr, open_raw_array, create_raw_array},
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
  std::string known;
  for (const auto& one : array_formats)
    known += (known.empty() ? "" : ", ") + std::string(one.suffix);
  throw usage_error(fmt::format(
      "{}: expected the name of an array's file that ends in one of {}, got another; rename it",
      path, known));
}

void check_no_inner(const std::string& path, const parted& of) {
  if (!of.inner.empty())
    throw usage_error(fmt::format(
        "{}: expected a file of one array, got \"{}\" as a name within it", path, of.inner));
}

}  // namespace

std::unique_ptr<array_file> open_array(const std::string& path, const record_layout& layout,
                                       std::size_t rank, const extents_list& extents) {
  const auto parts = parts_of(path);
  const auto& format = format_for(path, parts);
  check_no_inner(path, parts);
  if (format.open == nullptr) {
    if (extents.empty())
      throw usage_error(fmt::format(
          "{}: expected extents, which a {} file doesn't tell; give them: open<T, N>(path, extents)",
          path, format.suffix));
    return format.open_told(path, layout, extents);
  }
  auto file = format.open(path, layout, rank);
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
  check_no_inner(path, parts);
  return format.create(path, layout, extents, options);
}

}  // namespace pappus::formats

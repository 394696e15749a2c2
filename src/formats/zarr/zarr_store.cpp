#include "formats/zarr/zarr_store.h"

#include <algorithm>
#include <filesystem>
#include <memory>
#include <span>
#include <system_error>
#include <vector>

#include "base/atomic_file.h"
#include "formats/byte_source.h"
#include "formats/zarr/zarr_json.h"
#include "pappus/error.h"

namespace pappus::formats {
namespace {

namespace fs = std::filesystem;

constexpr const char *array_name_3 = "/zarr.json", *array_name_2 = "/.zarray",
                     *group_name_2 = "/.zgroup";
constexpr std::int64_t metadata_bytes_max = std::int64_t{64} << 20;

bool exists(const std::string& path) {
  std::error_code ignored;
  return fs::exists(path, ignored);
}

std::string text_of(const byte_source& source) {
  if (source.bytes() > metadata_bytes_max) {
    throw format_error(source.name() + ": expected metadata of at most 64 MiB, got " +
                       std::to_string(source.bytes()) + " bytes");
  }
  std::string text(static_cast<std::size_t>(source.bytes()), '\0');
  source.read(0, std::as_writable_bytes(std::span(text)));
  return text;
}

/// "array", "group" or what else it says; "" if it can't be told.
std::string node_type(const std::string& text) {
  try {
    const auto document = parse_json(text);
    return json_view(document).at("node_type").text();
  } catch (const zarr_problem&) {
    return "";
  }
}

bool is_zarr_array(const std::string& folder) {
  if (exists(folder + array_name_2)) return true;
  try {
    const auto source = open_file_if_there(folder + array_name_3);
    return source && node_type(text_of(*source)) == "array";
  } catch (const format_error&) {
    return false;
  }
}

/// Looks for arrays in a group, only as far as names are of use in a message.
class array_finder {
 public:
  explicit array_finder(const std::string& group) : group_(group) { visit("", 0); }

  std::vector<std::string> names() {
    std::ranges::sort(names_);
    return names_;
  }

 private:
  static constexpr int depth_max = 8;
  static constexpr std::size_t names_max = 10;

  void visit(const std::string& below, int depth) {
    std::error_code problem;
    for (fs::directory_iterator at(group_ + below, problem), end; !problem && at != end;
         at.increment(problem)) {
      if (!at->is_directory(problem) || names_.size() == names_max) continue;
      const std::string name = below + '/' + at->path().filename().string();
      if (is_zarr_array(group_ + name)) {
        names_.push_back(name.substr(1));
      } else if (depth < depth_max) {
        visit(name, depth + 1);
      }
    }
  }

  std::string group_;
  std::vector<std::string> names_;
};

[[noreturn]] void refuse_group(const std::string& path) {
  const auto names = array_finder(path).names();
  std::string text = path + ": expected an array, got a group ";
  if (names.empty()) throw format_error(text + "without arrays");
  for (const std::string& name : names)
    text += (name == names[0] ? "with \"" : ", \"") + name + '"';
  throw format_error(text + "; open " + path + '/' + names[0]);
}

template <typename Parse>
zarr_array parse(const std::string& name, const std::string& text, Parse&& parse) {
  try {
    return parse(text);
  } catch (const zarr_problem& problem) {
    throw format_error(name + ": " + problem.what());
  }
}

}  // namespace

std::string without_slashes(std::string path) {
  while (path.size() > 1 && path.ends_with('/')) path.pop_back();
  return path;
}

bool is_zarr_store(const std::string& path) {
  return exists(path + array_name_3) || exists(path + array_name_2) || exists(path + group_name_2);
}

void make_zarr_groups(const std::string& array_folder, int version) {
  fs::path at;
  bool within = false;
  for (const fs::path& name : fs::path(array_folder).parent_path()) {
    at /= name;
    within = within || name.extension() == ".zarr";
    if (!within) continue;
    if (is_zarr_array(at)) {
      throw format_error(array_folder + ": expected a group to write an array into, got " +
                         at.string() + ", which is an array; write to another name");
    }
    std::error_code problem;
    fs::create_directory(at, problem);  // the folder of the array tells what went wrong
    if (problem || is_zarr_store(at) || !fs::is_empty(at, problem)) continue;
    try {
      base::atomic_file file(at / (version == 2 ? ".zgroup" : "zarr.json"));
      file.append(version == 2 ? R"({"zarr_format": 2})"
                               : R"({"zarr_format": 3, "node_type": "group", "attributes": {}})");
      file.commit();
    } catch (const base::file_problem& failed) {
      throw format_error(array_folder + ": " + failed.what());
    }
  }
}

zarr_array read_zarr_array(const std::string& path) {
  std::error_code problem;
  const auto kind = fs::status(path, problem).type();
  if (kind == fs::file_type::not_found) {
    throw format_error(path + ": can't be opened: No such file or directory");
  }
  if (kind == fs::file_type::regular) {
    throw format_error(path + ": expected a folder with a Zarr array, got a file");
  }
  if (const auto source = open_file_if_there(path + array_name_3)) {
    const std::string text = text_of(*source);
    if (node_type(text) == "group") refuse_group(path);
    return parse(source->name(), text, parse_zarr_3);
  }
  if (const auto source = open_file_if_there(path + array_name_2)) {
    return parse(source->name(), text_of(*source), parse_zarr_2);
  }
  if (exists(path + group_name_2)) refuse_group(path);
  throw format_error(path + ": expected a folder with zarr.json or .zarray, got one with neither");
}

}  // namespace pappus::formats

#include "formats/hdf5/library/hdf5_names.h"

#include <algorithm>
#include <exception>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "formats/hdf5/hdf5_area.h"
#include "formats/names.h"

namespace pappus::formats {
namespace {

/// Names of datasets below a group, as far as they are of use in a message.
struct dataset_names {
  static constexpr std::size_t names_max = 10, looked_at_max = 4096;
  std::vector<std::string> names;
  std::size_t looked_at = 0;
};

/// Called by the library, through which no exception may pass.
herr_t note_dataset(hid_t, const char* name, const H5O_info_t* of, void* to) noexcept {
  auto& found = *static_cast<dataset_names*>(to);
  try {
    if (of->type == H5O_TYPE_DATASET) found.names.emplace_back(name);
  } catch (const std::exception&) {
    return 1;
  }
  const bool enough = found.names.size() >= dataset_names::names_max ||
                      ++found.looked_at >= dataset_names::looked_at_max;
  return enough ? 1 : 0;
}

std::vector<std::string> datasets_below(const hdf5_calls& calls, hid_t group) {
  dataset_names found;
  calls->call_H5Ovisit(group, H5_INDEX_NAME, H5_ITER_INC, note_dataset, &found);
  std::ranges::sort(found.names);
  return found.names;
}

/// "a//b/" is "a/b".
std::string tidied(std::string_view inner) {
  std::string name;
  while (!inner.empty()) {
    const auto end = std::min(inner.find('/'), inner.size());
    if (end > 0) name += (name.empty() ? "" : "/") + std::string(inner.substr(0, end));
    inner.remove_prefix(std::min(end + 1, inner.size()));
  }
  return name;
}

/// The library takes only the last name for one that may be missing.
bool is_there(const hdf5_calls& calls, hid_t file, const std::string& name) {
  for (std::size_t end = 0; end != name.npos;) {
    end = name.find('/', end + 1);
    if (calls->call_H5Lexists(file, name.substr(0, end).c_str(), H5P_DEFAULT) <= 0) return false;
  }
  return true;
}

[[noreturn]] void refuse_missing(const hdf5_calls& calls, hid_t file, const std::string& name) {
  const auto names = datasets_below(calls, file);
  if (names.empty())
    throw hdf5_problem(fmt::format("expected a dataset \"{}\", got a file without any", name));
  throw hdf5_problem(fmt::format("expected a dataset \"{}\", got a file with {}{}", name,
                                 listed(names), suggestion(name, names)));
}

[[noreturn]] void refuse_group_of(const hdf5_calls& calls, hid_t group, const std::string& path) {
  const auto names = datasets_below(calls, group);
  if (names.empty()) throw hdf5_problem("expected a dataset, got a group without any");
  throw hdf5_problem(fmt::format("expected a dataset, got a group with {}; open {}/{}",
                                 listed(names), path, names[0]));
}

}  // namespace

hid_t open_hdf5_dataset(const hdf5_calls& calls, hid_t file, const std::string& named,
                        const std::string& inner) {
  const std::string name = tidied(inner);
  if (!name.empty() && !is_there(calls, file, name)) refuse_missing(calls, file, name);
  const hid_t id =
      calls.expect(calls->call_H5Oopen(file, name.empty() ? "/" : name.c_str(), H5P_DEFAULT),
                   "the dataset can't be opened");
  const H5I_type_t type = calls->call_H5Iget_type(id);
  if (type == H5I_DATASET) return id;
  const hdf5_object other(calls, id, "the object can't be opened");
  if (type == H5I_GROUP) refuse_group_of(calls, id, named + (name.empty() ? ":" : ":/" + name));
  throw hdf5_problem("expected a dataset, got a named type; open a dataset of the file");
}

}  // namespace pappus::formats

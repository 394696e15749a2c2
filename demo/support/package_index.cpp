// From index files to records, in two steps: gather() keeps the newest stanza of each name, then
// build() sorts them by name, so that a package's number does not depend on the order of the files,
// lays out the strings and resolves the dependencies.
#include "demo/support/package_index.h"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <map>
#include <unordered_map>

#include "demo/support/control_file.h"
#include "demo/support/relations.h"
#include "demo/support/version.h"
#include "pappus/error.h"

namespace demo {
namespace {

/// What is kept of a stanza until all files are read.
struct draft {
  std::string version, section, description, depends, pre_depends, provides;
  std::int64_t installed_bytes, download_bytes;
  std::string where;  ///< file and line, for messages
};
using drafts = std::map<std::string, draft, std::less<>>;

class stanza_reader {
 public:
  stanza_reader(const std::string& path, std::string_view architecture)
      : file_(path), architecture_(architecture) {}

  /// Adds the file's packages to `found`.
  void gather(drafts& found) {
    while (file_.next(stanza_)) {
      const auto name = required("Package"), version = required("Version");
      const auto architecture = required("Architecture"), status = stanza_["Status"];
      // Both kinds of file have a field that the other lacks and that comes late in an index.
      if (status.empty()) required("Size");
      if (architecture != architecture_ && architecture != "all") continue;
      if (!status.empty() && !status.ends_with(" installed")) continue;
      const auto [entry, is_new] = found.try_emplace(std::string(name));
      if (is_new || compare_versions(version, entry->second.version) > 0) entry->second = take();
    }
  }

 private:
  std::string where(std::string_view field) const {
    return file_.path() + ": line " + std::to_string(stanza_.line_of(field));
  }

  std::string_view required(std::string_view field) const {
    const auto value = stanza_[field];
    if (!value.empty()) return value;
    const auto name = stanza_["Package"];
    throw pappus::format_error(
        where("") + ": expected a field \"" + std::string(field) + "\", got none in the stanza " +
        (name.empty() ? "that begins here" : "of \"" + std::string(name) + "\"") +
        "; the file is truncated or not a package index");
  }

  std::int64_t number(std::string_view field) const {
    const auto value = stanza_[field];
    std::int64_t n = 0;
    const auto [end, status] = std::from_chars(value.data(), value.data() + value.size(), n);
    if (value.empty() || (status == std::errc() && end == value.data() + value.size() && n >= 0))
      return n;
    throw pappus::format_error(where(field) + ", field \"" + std::string(field) +
                               "\": expected a whole number, got \"" + std::string(value) + "\"");
  }

  draft take() const {
    const auto text = [&](std::string_view field) { return std::string(stanza_[field]); };
    auto description = text("Description");
    description.resize(std::min(description.find('\n'), description.size()));
    return {text("Version"),
            text("Section"),
            description,
            text("Depends"),
            text("Pre-Depends"),
            text("Provides"),
            1024 * number("Installed-Size"),  // in KiB in the index
            number("Size"),
            where("")};
  }

  control_file file_;
  std::string_view architecture_;
  stanza stanza_;
};

/// Finds the packages that satisfy a dependency.
class resolver {
 public:
  resolver(const drafts& found, std::string_view architecture) : architecture_(architecture) {
    std::int32_t id = 0;
    for (const auto& [name, d] : found) {
      real_.emplace(name, provider{id, d.version});
      for (const clause& c : parse(d, d.provides, "Provides"))
        provided_[c.front().name].push_back({id, c.front().version});
      ++id;
    }
  }

  /// Adds the edges of package `from`; returns how many dependencies nothing satisfies.
  std::int64_t resolve(std::int32_t from, const draft& d, std::vector<dependency>& edges) const {
    const std::size_t first = edges.size();
    std::int64_t unresolved = 0;
    for (const auto& [field, name] :
         {std::pair(&d.depends, "Depends"), std::pair(&d.pre_depends, "Pre-Depends")})
      for (const clause& c : parse(d, *field, name)) unresolved += !add_edges(from, c, edges);
    const auto begin = edges.begin() + static_cast<std::ptrdiff_t>(first);
    std::ranges::sort(begin, edges.end(), {}, &dependency::to);
    const auto repeated = std::ranges::unique(begin, edges.end(), {}, &dependency::to);
    edges.erase(repeated.begin(), repeated.end());
    return unresolved;
  }

 private:
  struct provider {
    std::int32_t id;
    std::string_view version;  ///< empty where a virtual package has none
  };

  static std::vector<clause> parse(const draft& d, const std::string& field, const char* name) {
    try {
      return parse_relations(field);
    } catch (const relation_error& e) {
      throw pappus::format_error(d.where + ", field \"" + name + "\": " + e.what());
    }
  }

  /// False if an alternative applies here but none is satisfied.
  bool add_edges(std::int32_t from, const clause& alternatives,
                 std::vector<dependency>& edges) const {
    bool asked = false;
    for (const alternative& a : alternatives) {
      if (!applies(a, architecture_)) continue;
      asked = true;
      if (const auto package = real_.find(a.name);
          package != real_.end() && admits(a, package->second.version)) {
        if (package->second.id != from) edges.push_back({from, package->second.id});
        return true;
      }
      const auto providers = provided_.find(a.name);
      if (providers == provided_.end()) continue;
      bool satisfied = false;
      for (const provider& p : providers->second) {
        if (!a.op.empty() && (p.version.empty() || !admits(a, p.version))) continue;
        if (p.id != from) edges.push_back({from, p.id});
        satisfied = true;
      }
      if (satisfied) return true;
    }
    return !asked;
  }

  std::string_view architecture_;
  std::unordered_map<std::string_view, provider> real_;
  std::unordered_map<std::string_view, std::vector<provider>> provided_;
};

/// Appends strings to a buffer that was made large enough.
class string_writer {
 public:
  explicit string_writer(std::vector<char>& text) : text_(text) {}
  std::string_view keep(std::string_view string) {
    const std::size_t begin = text_.size();
    text_.insert(text_.end(), string.begin(), string.end());
    return {text_.data() + begin, string.size()};
  }

 private:
  std::vector<char>& text_;
};

void lay_out_packages(const drafts& found, package_index& index) {
  std::size_t bytes = 0;
  for (const auto& [name, d] : found)
    bytes += name.size() + d.version.size() + d.section.size() + d.description.size();
  index.text.reserve(bytes);
  string_writer writer(index.text);
  for (const auto& [name, d] : found)
    index.packages.push_back({writer.keep(name), writer.keep(d.version), writer.keep(d.section),
                              writer.keep(d.description), d.installed_bytes, d.download_bytes, 0,
                              0});
}

}  // namespace

std::string_view native_architecture() {
#if defined(__x86_64__)
  return "amd64";
#elif defined(__i386__)
  return "i386";
#elif defined(__aarch64__)
  return "arm64";
#elif defined(__arm__)
  return "armhf";
#elif defined(__riscv)
  return "riscv64";
#elif defined(__powerpc64__)
  return "ppc64el";
#elif defined(__s390x__)
  return "s390x";
#else
  return "all";
#endif
}

std::vector<std::string> find_index_files(const std::string& lists, const std::string& status) {
  std::vector<std::string> files;
  std::error_code ignored;  // a folder that can't be listed has no index files for us
  for (const auto& entry : std::filesystem::directory_iterator(lists, ignored)) {
    const std::string path = entry.path().string();
    for (const char* suffix : {"_Packages", "_Packages.lz4", "_Packages.xz"})
      if (path.ends_with(suffix)) files.push_back(path);
  }
  std::ranges::sort(files);
  if (files.empty()) files.push_back(status);
  return files;
}

package_index read_package_index(const std::vector<std::string>& files,
                                 std::string_view architecture) {
  drafts found;
  for (const std::string& path : files) stanza_reader(path, architecture).gather(found);
  if (found.empty()) {
    std::string names;
    for (const std::string& path : files) names += (names.empty() ? "" : ", ") + path;
    throw pappus::format_error(names + ": expected packages for " + std::string(architecture) +
                               ", got none; run apt-get update or name an index");
  }

  package_index index;
  index.files = files;
  lay_out_packages(found, index);
  const resolver resolver(found, architecture);
  std::int32_t from = 0;
  for (const auto& [name, d] : found)
    index.unresolved += resolver.resolve(from++, d, index.dependencies);
  for (const auto& [source, target] : index.dependencies) {
    ++index.packages[static_cast<std::size_t>(source)].dependencies;
    ++index.packages[static_cast<std::size_t>(target)].dependents;
  }
  return index;
}

}  // namespace demo

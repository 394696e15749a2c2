// Debian's package index as flat records: what the demo computes on.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace demo {

struct package {
  std::string_view name, version, section;
  std::string_view description;  ///< the first line
  std::int64_t installed_bytes;  ///< 0 where the index doesn't say
  std::int64_t download_bytes;   ///< 0 where the index doesn't say, as dpkg's status file
  std::int32_t dependencies;     ///< packages it depends on
  std::int32_t dependents;       ///< packages that depend on it
};

/// packages[from] depends on packages[to].
struct dependency {
  std::int32_t from, to;
};

struct package_index {
  std::vector<package> packages;  ///< in ascending order of name
  std::vector<dependency>
      dependencies;                ///< in ascending order of (from, to); no duplicates, no loops
  std::int64_t unresolved = 0;     ///< dependencies that nothing in the index satisfies
  std::vector<std::string> files;  ///< read, in this order

  package_index() = default;
  package_index(package_index&&) = default;
  package_index& operator=(package_index&&) = default;

  std::vector<char> text;  ///< what the strings of `packages` view; never resized
};

/// The architecture this program was compiled for, as Debian calls it ("amd64"); "all" where Debian
/// has none.
std::string_view native_architecture();

/// The index files of a machine in ascending order of name: every *_Packages, *_Packages.lz4 and
/// *_Packages.xz in `lists`, else `status`.
std::vector<std::string> find_index_files(const std::string& lists = "/var/lib/apt/lists",
                                          const std::string& status = "/var/lib/dpkg/status");

/// Reads package indexes (plain, .lz4, .xz) or dpkg status files.
///
/// Of each package name the newest version counts, among the packages for `architecture` and "all",
/// in status files among the installed ones. Depends and Pre-Depends become edges by these rules:
/// - Of alternatives (`a | b`), the first that the index can satisfy, version included, counts.
/// - A name is satisfied by the package of that name; failing that, by all packages that provide it
///   (with a matching version where the dependency asks for one), each of which gets an edge.
/// - A dependency that nothing satisfies gives no edge and is counted in `unresolved`.
/// - A package's dependencies on itself and repeated ones are dropped.
///
/// \throws pappus::format_error  naming file and line or byte offset where a file is unreadable,
///                               truncated or not a package index, or where
///                               there are no packages at all.
/// Cost: reads every file once, in blocks; keeps only the fields above.
package_index read_package_index(const std::vector<std::string>& files,
                                 std::string_view architecture = native_architecture());

}  // namespace demo

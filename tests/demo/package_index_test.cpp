#include "demo/support/package_index.h"

#include <map>
#include <random>

#include <gtest/gtest.h>

#include "pappus/error.h"
#include "tests/demo/temporary_files.h"

namespace demo {
namespace {

using testing::message_of;
using testing::temporary_files;

/// A stanza as an index has it.
std::string entry(const std::string& name, const std::string& version, const std::string& more = "",
                  const std::string& architecture = "amd64") {
  return "Package: " + name + "\nVersion: " + version + "\nArchitecture: " + architecture + "\n" +
         more + "Size: 1000\n\n";
}

package_index read(const temporary_files& files, const std::string& text) {
  return read_package_index({files.write("test_Packages", text)}, "amd64");
}

/// "a>b" for every dependency, separated by spaces.
std::string edges(const package_index& index) {
  std::string text;
  for (const auto& [from, to] : index.dependencies) {
    if (!text.empty()) text += ' ';
    text += index.packages[static_cast<std::size_t>(from)].name;
    text += '>';
    text += index.packages[static_cast<std::size_t>(to)].name;
  }
  return text;
}

TEST(package_index, holds_what_the_fields_say_in_order_of_name) {
  const temporary_files files;
  const auto index = read(files, entry("zlib", "1.2",
                                       "Section: libs\nInstalled-Size: 168\n"
                                       "Description: compression library\n long text\n") +
                                     entry("apt", "2.6", "Depends: zlib\n", "all"));
  ASSERT_EQ(index.packages.size(), 2u);
  const package &apt = index.packages[0], &zlib = index.packages[1];
  EXPECT_EQ(apt.name, "apt");
  EXPECT_EQ(apt.description, "");
  EXPECT_EQ(apt.installed_bytes, 0);
  EXPECT_EQ(apt.dependencies, 1);
  EXPECT_EQ(apt.dependents, 0);
  EXPECT_EQ(zlib.name, "zlib");
  EXPECT_EQ(zlib.version, "1.2");
  EXPECT_EQ(zlib.section, "libs");
  EXPECT_EQ(zlib.description, "compression library");
  EXPECT_EQ(zlib.installed_bytes, 168 * 1024);
  EXPECT_EQ(zlib.download_bytes, 1000);
  EXPECT_EQ(zlib.dependencies, 0);
  EXPECT_EQ(zlib.dependents, 1);
}

TEST(package_index, keeps_the_newest_version_wherever_it_stands) {
  const temporary_files files;
  const auto older = files.write("a_Packages", entry("a", "1.9") + entry("b", "1:1"));
  const auto newer = files.write("b_Packages", entry("a", "1.10") + entry("b", "2"));
  for (const auto& paths : {std::vector{older, newer}, std::vector{newer, older}}) {
    const auto index = read_package_index(paths, "amd64");
    ASSERT_EQ(index.packages.size(), 2u);
    EXPECT_EQ(index.packages[0].version, "1.10");
    EXPECT_EQ(index.packages[1].version, "1:1");
    EXPECT_EQ(index.files, paths);
  }
}

TEST(package_index, leaves_foreign_architectures_out) {
  const temporary_files files;
  const auto index = read(files, entry("a", "1") + entry("a", "2", "", "i386") +
                                     entry("b", "1", "", "arm64") + entry("c", "1", "", "all"));
  ASSERT_EQ(index.packages.size(), 2u);
  EXPECT_EQ(index.packages[0].version, "1");
  EXPECT_EQ(index.packages[1].name, "c");
}

TEST(package_index, takes_the_first_alternative_that_the_index_has) {
  const temporary_files files;
  const auto index = read(
      files, entry("a", "1", "Depends: none | c | b, b | c\n") + entry("b", "1") + entry("c", "1"));
  EXPECT_EQ(edges(index), "a>b a>c");
  EXPECT_EQ(index.unresolved, 0);
}

TEST(package_index, skips_alternatives_whose_version_the_index_lacks) {
  const temporary_files files;
  const auto index = read(files, entry("a", "1", "Depends: b (>= 2) | c (<< 2)\n") +
                                     entry("b", "1.9") + entry("c", "1.9"));
  EXPECT_EQ(edges(index), "a>c");
}

TEST(package_index, leads_an_edge_to_every_provider_of_a_virtual_package) {
  const temporary_files files;
  const auto index =
      read(files, entry("a", "1", "Depends: mta\n") + entry("exim", "1", "Provides: mta, mail\n") +
                      entry("postfix", "1", "Provides: mta\n"));
  EXPECT_EQ(edges(index), "a>exim a>postfix");
}

TEST(package_index, prefers_the_package_of_that_name_to_its_providers) {
  const temporary_files files;
  const auto index = read(
      files, entry("a", "1", "Depends: b\n") + entry("b", "1") + entry("c", "1", "Provides: b\n"));
  EXPECT_EQ(edges(index), "a>b");
}

TEST(package_index, asks_providers_for_the_version_too) {
  const temporary_files files;
  const auto index = read(
      files, entry("a", "1", "Depends: v (>= 2)\n") + entry("b", "9", "Provides: v\n") +
                 entry("c", "9", "Provides: v (= 1.0)\n") +
                 entry("d", "9", "Provides: w, v (= 2.0)\n") + entry("e", "1", "Depends: v\n"));
  EXPECT_EQ(edges(index), "a>d e>b e>c e>d");
}

TEST(package_index, understands_qualifiers_folding_and_architecture_lists) {
  const temporary_files files;
  const auto index =
      read(files, entry("a", "1",
                        "Depends: b:any (>= 1),\n c [i386] | d [amd64],\n e [!amd64],\n"
                        "Pre-Depends: f\n") +
                      entry("b", "1") + entry("c", "1") + entry("d", "1") + entry("e", "1") +
                      entry("f", "1"));
  EXPECT_EQ(edges(index), "a>b a>d a>f");
  EXPECT_EQ(index.unresolved, 0);
}

TEST(package_index, drops_repeated_dependencies_and_those_on_itself) {
  const temporary_files files;
  const auto index = read(files, entry("a", "1",
                                       "Depends: b (>= 1), b (<< 3), a, v\nPre-Depends: b\n"
                                       "Provides: v\n") +
                                     entry("b", "2"));
  EXPECT_EQ(edges(index), "a>b");
  EXPECT_EQ(index.packages[0].dependencies, 1);
  EXPECT_EQ(index.unresolved, 0);
}

TEST(package_index, counts_dependencies_that_nothing_satisfies) {
  const temporary_files files;
  const auto index =
      read(files, entry("a", "1", "Depends: b, c | d, b (>> 5)\n") + entry("b", "1"));
  EXPECT_EQ(edges(index), "a>b");
  EXPECT_EQ(index.unresolved, 2);
}

TEST(package_index, takes_installed_packages_only_from_a_status_file) {
  const temporary_files files;
  const auto stanza = [](const char* name, const char* status) {
    return std::string("Package: ") + name + "\nStatus: " + status +
           "\nArchitecture: all\nVersion: 1\n\n";
  };
  const auto index =
      read(files, stanza("a", "install ok installed") + stanza("b", "deinstall ok config-files") +
                      stanza("c", "hold ok installed"));
  ASSERT_EQ(index.packages.size(), 2u);
  EXPECT_EQ(index.packages[0].name, "a");
  EXPECT_EQ(index.packages[0].download_bytes, 0);
  EXPECT_EQ(index.packages[1].name, "c");
}

TEST(package_index, reads_random_dependencies_as_a_plain_search_finds_them) {
  const std::uint32_t seed = 20240601;
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  constexpr int packages = 60;
  const auto name = [](int i) { return "p" + std::to_string(100 + i); };
  std::map<int, std::vector<int>> providers;  // virtual package -> packages
  std::string text, expected;
  for (int i = 0; i < packages; ++i) providers[static_cast<int>(random() % 10)].push_back(i);
  for (int i = 0; i < packages; ++i) {
    std::vector<bool> wanted(packages);
    std::string depends, provides;
    for (int clause = 0; clause < 4; ++clause) {
      const int target = static_cast<int>(random() % packages), v = static_cast<int>(random() % 10);
      depends += depends.empty() ? "" : ", ";
      if (random() % 2 == 0) {
        depends += "missing | " + name(target) + " | virtual" + std::to_string(v);
        wanted[static_cast<std::size_t>(target)] = true;
      } else {
        depends += "virtual" + std::to_string(v) + " | " + name(target);
        if (providers[v].empty()) wanted[static_cast<std::size_t>(target)] = true;
        for (const int p : providers[v]) wanted[static_cast<std::size_t>(p)] = true;
      }
    }
    for (const auto& [v, list] : providers)
      for (const int p : list)
        if (p == i) provides += "Provides: virtual" + std::to_string(v) + "\n";
    text += entry(name(i), "1", "Depends: " + depends + "\n" + provides);
    for (int p = 0; p < packages; ++p)
      if (p != i && wanted[static_cast<std::size_t>(p)])
        expected += (expected.empty() ? "" : " ") + name(i) + ">" + name(p);
  }
  const temporary_files files;
  EXPECT_EQ(edges(read(files, text)), expected);
}

TEST(package_index, tells_what_is_wrong_and_where) {
  const temporary_files files;
  const auto error = [&](const std::string& text) {
    return message_of<pappus::format_error>([&] { read(files, text); })
        .substr(files.path("test_Packages").size());
  };
  EXPECT_EQ(
      error(entry("a", "1") + "Package: b\nVersion: 1\n"),
      ": line 6: expected a field \"Architecture\", got none in the stanza of \"b\"; the file "
      "is truncated or not a package index");
  EXPECT_EQ(error("Package: b\nVersion: 1\nArchitecture: all\n"),
            ": line 1: expected a field \"Size\", got none in the stanza of \"b\"; the file is "
            "truncated or not a package index");
  EXPECT_EQ(error("Name: b\n"),
            ": line 1: expected a field \"Package\", got none in the stanza that begins here; the "
            "file is truncated or not a package index");
  EXPECT_EQ(error(entry("a", "1", "Installed-Size: many\n")),
            ": line 4, field \"Installed-Size\": expected a whole number, got \"many\"");
  EXPECT_EQ(error(entry("a", "1") + entry("b", "1", "Depends: a (>= 1\n")),
            ": line 6, field \"Depends\": expected name (version) [architectures], got \"a (>= "
            "1\"");
  EXPECT_EQ(error(entry("a", "1", "", "i386")),
            ": expected packages for amd64, got none; run apt-get update or name an index");
}

TEST(find_index_files, lists_every_index_in_order_of_name) {
  const temporary_files files;
  for (const char* name : {"b_Packages.xz", "a_Packages", "c_Packages.lz4", "a_InRelease",
                           "d_Packages.diff_Index", "lock"})
    files.write(name, "");
  EXPECT_EQ(find_index_files(files.folder(), "status"),
            (std::vector{files.path("a_Packages"), files.path("b_Packages.xz"),
                         files.path("c_Packages.lz4")}));
}

TEST(find_index_files, falls_back_on_the_status_file) {
  const temporary_files files;
  EXPECT_EQ(find_index_files(files.folder(), "status"), std::vector<std::string>{"status"});
  EXPECT_EQ(find_index_files(files.path("none"), "status"), std::vector<std::string>{"status"});
}

}  // namespace
}  // namespace demo

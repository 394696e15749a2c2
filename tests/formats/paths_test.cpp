#include "formats/paths.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "formats/support.h"

namespace pappus::testing {
namespace {

using formats::files_of;
using strings = std::vector<std::string>;

class paths : public ::testing::Test {
 protected:
  temporary_folder folder_;
  /// As paths in the folder, which is left out of what comes back.
  strings found(const strings& names) const {
    strings asked;
    for (const auto& name : names) asked.push_back(folder_.file(name));
    strings result;
    for (const auto& path : files_of(asked)) result.push_back(path.substr(folder_.file("").size()));
    return result;
  }
};

TEST_F(paths, match_files_and_come_sorted_by_name) {
  for (const char* name : {"b.csv", "a.csv", "a10.csv", "a2.csv", "c.txt", ".hidden.csv"})
    create_file(folder_.file(name), "");
  std::filesystem::create_directories(folder_.file("d.csv"));
  std::filesystem::create_directories(folder_.file("sub1"));
  std::filesystem::create_directories(folder_.file("sub2"));
  create_file(folder_.file("sub2/x.csv"), "");
  create_file(folder_.file("sub1/y.csv"), "");
  EXPECT_EQ(found({"*.csv"}), (strings{"a.csv", "a10.csv", "a2.csv", "b.csv"}));
  EXPECT_EQ(found({"a?.csv"}), strings{"a2.csv"});
  EXPECT_EQ(found({"[bc].*"}), (strings{"b.csv", "c.txt"}));
  EXPECT_EQ(found({"sub?/*.csv"}), (strings{"sub1/y.csv", "sub2/x.csv"}));
  EXPECT_EQ(found({"c.txt", "a*.csv", "not there"}),
            (strings{"c.txt", "a.csv", "a10.csv", "a2.csv", "not there"}));
}

TEST_F(paths, that_are_files_names_as_they_are_match_nothing_else) {
  create_file(folder_.file("a[1].csv"), "");
  create_file(folder_.file("a1.csv"), "");
  EXPECT_EQ(found({"a[1].csv"}), strings{"a[1].csv"});
  EXPECT_EQ(found({"a[[]1].csv"}), strings{"a[1].csv"});
}

TEST_F(paths, that_match_nothing_are_refused) {
  const auto folder = folder_.file("");
  const auto in = folder.substr(0, folder.size() - 1);
  EXPECT_EQ(
      message_of<format_error>([&] { files_of({folder + "*.csv"}); }),
      folder + "*.csv: expected files that match \"*.csv\" in the folder \"" + in + "\", got none");
  EXPECT_EQ(message_of<format_error>([&] { files_of({folder + "sub/x-?.csv"}); }),
            folder + "sub/x-?.csv: expected files that match \"x-?.csv\" in the folder \"" +
                folder + "sub\", got no such folder");
  EXPECT_EQ(message_of<usage_error>([] { files_of({}); }),
            "expected the paths of files, got an empty list");
}

TEST_F(paths, that_are_folders_are_refused) {
  const auto in = folder_.file("");
  const auto named = in.substr(0, in.size() - 1);
  for (const auto& path : {in, named})
    EXPECT_EQ(message_of<format_error>([&] { files_of({path}); }),
              named +
                  ": is a folder, expected a file; a pattern stands for the files in it, as \"" +
                  named + "/*\" does");
}

}  // namespace
}  // namespace pappus::testing

#include "base/atomic_folder.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>
#include <string>
#include <vector>

namespace pappus::base {
namespace {

namespace fs = std::filesystem;

class atomic_folder_test : public ::testing::Test {
 protected:
  atomic_folder_test()
      : place_(fs::temp_directory_path() / ("pappus-folder-" + std::to_string(::getpid()))) {
    fs::remove_all(place_);
    fs::create_directory(place_);
  }
  ~atomic_folder_test() override { fs::remove_all(place_); }

  fs::path path(const std::string& name) const { return place_ / name; }
  std::size_t names() const {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(place_), {}));
  }

 private:
  fs::path place_;
};

void put(const fs::path& folder, const std::string& name) { std::ofstream(folder / name) << name; }

TEST_F(atomic_folder_test, appears_when_it_is_committed) {
  atomic_folder folder(path("x"));
  put(folder.path(), "a");
  EXPECT_EQ(folder.path().parent_path(), path("x").parent_path());
  EXPECT_FALSE(fs::exists(path("x")));
  folder.commit();
  EXPECT_TRUE(fs::exists(path("x/a")));
  EXPECT_EQ(names(), 1U);
}

TEST_F(atomic_folder_test, is_removed_when_it_is_not_committed) {
  {
    const atomic_folder folder(path("x"));
    put(folder.path(), "a");
    EXPECT_EQ(names(), 1U);
  }
  EXPECT_EQ(names(), 0U);
}

TEST_F(atomic_folder_test, takes_the_place_of_a_folder_and_keeps_its_permissions) {
  fs::create_directory(path("x"));
  ::chmod(path("x").c_str(), 0750);
  put(path("x"), "old");
  fs::create_directory_symlink("x", path("link"));
  atomic_folder folder(path("link"));
  put(folder.path(), "new");
  EXPECT_TRUE(fs::exists(path("x/old")));
  folder.commit();
  EXPECT_TRUE(fs::exists(path("link/new")));
  EXPECT_FALSE(fs::exists(path("x/old")));
  EXPECT_EQ(static_cast<unsigned>(fs::status(path("x")).permissions()), 0750U);
  EXPECT_EQ(names(), 2U);
}

TEST_F(atomic_folder_test, replaces_folders_only) {
  put(path(""), "x");
  try {
    const atomic_folder folder(path("x"));
    ADD_FAILURE() << "a file was replaced";
  } catch (const file_problem& problem) {
    EXPECT_STREQ(problem.what(), "can't be replaced: expected a folder or none, got a file");
  }
  EXPECT_EQ(names(), 1U);
}

}  // namespace
}  // namespace pappus::base

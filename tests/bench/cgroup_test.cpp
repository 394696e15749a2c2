#include "system/cgroup.h"

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include <gtest/gtest.h>

namespace pappus::bench {
namespace {

/// A folder in place of /, removed in the end.
class root_folder {
 public:
  root_folder()
      : path_(std::filesystem::path(::testing::TempDir()) /
              ("cgroup-" + std::to_string(::getpid()))) {
    std::filesystem::create_directory(path_);
  }
  ~root_folder() { std::filesystem::remove_all(path_); }
  root_folder(const root_folder&) = delete;
  root_folder& operator=(const root_folder&) = delete;
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

void write(const std::filesystem::path& file, const std::string& text) {
  std::filesystem::create_directories(file.parent_path());
  std::ofstream(file) << text;
}

TEST(cgroup_memory, is_the_least_limit_of_the_cgroups_around) {
  const root_folder folder;
  const auto& root = folder.path();
  write(root / "proc/self/cgroup", "0::/outer/inner\n");
  write(root / "sys/fs/cgroup/outer/inner/memory.max", "max\n");
  write(root / "sys/fs/cgroup/outer/memory.max", "123456\n");
  EXPECT_EQ(cgroup_memory_bytes(root), 123456u);
  write(root / "sys/fs/cgroup/outer/inner/memory.max", "1234\n");
  EXPECT_EQ(cgroup_memory_bytes(root), 1234u);
}

TEST(cgroup_memory, is_that_of_version_1_where_it_has_the_memory) {
  const root_folder folder;
  const auto& root = folder.path();
  write(root / "proc/self/cgroup", "5:cpu,cpuacct:/\n4:memory:/job\n0::/\n");
  const auto mounted = root / "sys/fs/cgroup/memory";
  write(mounted / "memory.limit_in_bytes", "9223372036854771712\n");
  write(mounted / "job/memory.limit_in_bytes", "4096\n");
  EXPECT_EQ(cgroup_memory_bytes(root), 4096u);
  write(mounted / "job/memory.limit_in_bytes", "9223372036854771712\n");
  EXPECT_EQ(cgroup_memory_bytes(root), 0u);
}

TEST(cgroup_memory, is_not_limited_where_nothing_tells) {
  EXPECT_EQ(cgroup_memory_bytes(root_folder().path()), 0u);
}

}  // namespace
}  // namespace pappus::bench

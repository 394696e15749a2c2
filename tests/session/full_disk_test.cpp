// Sorts of files where a disk is full: the one that rows rest on, or the one of the result.
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <system_error>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "pappus/pappus.h"
#include "session/sorted_file.h"
#include "support/scaled_memory.h"
#include "support/spill_folder.h"

namespace pappus::sorted_file {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using testing::scaled_mib;
using testing::spill_folder;

/// While it lives, no file may become larger.
class little_disk {
 public:
  explicit little_disk(std::size_t bytes) : handler_(::signal(SIGXFSZ, SIG_IGN)) {
    ::getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit little{bytes, before_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &little);
  }
  ~little_disk() {
    ::setrlimit(RLIMIT_FSIZE, &before_);
    ::signal(SIGXFSZ, handler_);
  }
  little_disk(const little_disk&) = delete;
  little_disk& operator=(const little_disk&) = delete;

 private:
  void (*handler_)(int);
  rlimit before_{};
};

/// Disks that this process alone sees, and that go with it however it ends. Only root has such, and
/// only before there are other threads, as after other tests of the process.
class own_disks {
 public:
  own_disks() {
    const auto threads = std::distance(std::filesystem::directory_iterator("/proc/self/task"), {});
    if (threads != 1) {
      why_none_ = "threads that are there already would see other disks";
    } else if (::unshare(CLONE_NEWNS) != 0 ||
               ::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0) {
      why_none_ = "no mount namespace: " + std::generic_category().message(errno);
    }
  }
  ~own_disks() {
    for (const auto& folder : mounted_) ::umount2(folder.c_str(), MNT_DETACH);
  }
  own_disks(const own_disks&) = delete;
  own_disks& operator=(const own_disks&) = delete;

  /// Empty: there can be some.
  const std::string& why_none() const { return why_none_; }

  /// A file system of 4 MiB in a file, on a folder. Returns why there is none.
  std::string mount_image(const std::string& image, const std::string& folder) {
    std::ofstream(image).close();
    std::filesystem::resize_file(image, std::uintmax_t{4} << 20);
    if (!run({"mkfs.ext4", "-q", "-O", "^has_journal", "-m", "0", image}))
      return "mkfs.ext4 fails, or isn't there";
    if (!run({"mount", "-o", "loop", image, folder})) return "no loop device, or no ext4";
    mounted_.push_back(folder);
    return "";
  }
  std::string mount_tmpfs(const std::string& folder) {
    if (::mount("none", folder.c_str(), "tmpfs", 0, "size=2m") != 0)
      return "no tmpfs: " + std::generic_category().message(errno);
    mounted_.push_back(folder);
    return "";
  }

 private:
  static bool run(std::vector<std::string> words) {
    std::vector<char*> arguments;
    for (auto& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    pid_t child = 0;
    int status = -1;
    return ::posix_spawnp(&child, arguments[0], nullptr, nullptr, arguments.data(), environ) == 0 &&
           ::waitpid(child, &status, 0) == child && status == 0;
  }

  std::string why_none_;
  std::vector<std::string> mounted_;
};

std::uint64_t free_bytes(const std::string& folder) {
  struct statvfs about{};
  return ::statvfs(folder.c_str(), &about) == 0 ? about.f_bfree * about.f_frsize : 0;
}

class full_disk : public testing::scaled_test {
 protected:
  full_disk() : at(folder_.path()) { make(at); }

  /// What it throws, with the name of its type.
  template <typename Query>
  static std::string problem(Query&& query) {
    try {
      query();
    } catch (const format_error& e) {
      return std::string("format_error: ") + e.what();
    } catch (const spill_error& e) {
      return std::string("spill_error: ") + e.what();
    }
    return "";
  }

 private:
  const spill_folder folder_;

 protected:
  const places at;
};

TEST_F(full_disk, of_the_result_or_of_rows_that_rest_is_named_and_leaves_the_old_file) {
  write_file(at.result, "what was there");
  session large(at.settings(512 * scaled_mib)), small(at.settings(8 * scaled_mib));
  const auto of_sort = [&](session& s) {
    const little_disk full(2 * scaled_mib);
    return problem([&] { sort_file(s, at); });
  };
  EXPECT_THAT(of_sort(large),
              AllOf(HasSubstr("format_error: " + at.result), HasSubstr("File too large")));
  EXPECT_THAT(of_sort(small), AllOf(HasSubstr("spill_error: sort_by"), HasSubstr(at.spill),
                                    HasSubstr("File too large")));
  EXPECT_EQ(read_file(at.result), "what was there");
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(at.results), {}), 1);
  EXPECT_EQ(large.host_memory_used() + small.host_memory_used(), 0u);
  const auto expected = bytes_of(sorted(input_rows()));
  for (auto* const s : {&large, &small}) {
    sort_file(*s, at);
    EXPECT_TRUE(read_file(at.result) == expected);
  }
}

TEST_F(full_disk, of_rows_that_rest_is_given_back_by_a_query_that_it_ends) {
  own_disks disks;
  if (!disks.why_none().empty()) GTEST_SKIP() << disks.why_none();
  const auto why_none = disks.mount_image(at.results + "/image", at.spill);
  if (!why_none.empty()) GTEST_SKIP() << why_none;
  const auto before = free_bytes(at.spill);
  EXPECT_LT(before, bytes_of(input_rows()).size());
  {
    auto all_of_it = at.settings(8 * scaled_mib);
    all_of_it.spill_size = std::size_t{1} << 30;
    session s(all_of_it);
    for (int i = 0; i < 2; ++i)
      EXPECT_THAT(problem([&] { sort_file(s, at); }),
                  AllOf(HasSubstr("spill_error: sort_by"), HasSubstr(at.spill),
                        HasSubstr("No space left on device"), HasSubstr("PAPPUS_SPILL")));
    EXPECT_FALSE(std::filesystem::exists(at.result));
    EXPECT_EQ(s.host_memory_used(), 0u);
    auto some = input_rows();
    some.resize(150'000);
    const auto few = s.raw<item>(at.input).take(150'000).sort_by(&item::key);
    EXPECT_THAT(few.count().explain_analyze(), HasSubstr("spill file: "));
    few.write(at.result);
    EXPECT_TRUE(read_file(at.result) == bytes_of(sorted(some)));
  }
  EXPECT_EQ(free_bytes(at.spill), before);
}

TEST_F(full_disk, of_the_result_has_the_old_file_and_no_part_of_the_new_one) {
  own_disks disks;
  if (!disks.why_none().empty()) GTEST_SKIP() << disks.why_none();
  const auto why_none = disks.mount_tmpfs(at.results);
  if (!why_none.empty()) GTEST_SKIP() << why_none;
  write_file(at.result, "what was there");
  const auto before = free_bytes(at.results);
  for (const auto memory : {8 * scaled_mib, 512 * scaled_mib}) {
    session s(at.settings(memory));
    EXPECT_THAT(problem([&] { sort_file(s, at); }),
                AllOf(HasSubstr("format_error: " + at.result), HasSubstr("No space left")));
    EXPECT_EQ(s.host_memory_used(), 0u);
    EXPECT_EQ(read_file(at.result), "what was there");
    EXPECT_EQ(free_bytes(at.results), before);
  }
  session s(at.settings(8 * scaled_mib));
  s.raw<item>(at.input).take(50'000).write(at.result);
  EXPECT_EQ(std::filesystem::file_size(at.result), 50'000 * sizeof(item));
}

}  // namespace
}  // namespace pappus::sorted_file

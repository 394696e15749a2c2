#include "base/atomic_file.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <csignal>
#include <fstream>
#include <iterator>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace pappus::base {
namespace {

namespace fs = std::filesystem;

class atomic_file_test : public ::testing::Test {
 protected:
  atomic_file_test() { fs::create_directories(folder_); }
  ~atomic_file_test() override { fs::remove_all(folder_); }

  fs::path at(const std::string& name) const { return folder_ / name; }

  static std::string content(const fs::path& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  static std::set<std::string> names(const fs::path& folder) {
    std::set<std::string> found;
    for (const auto& entry : fs::directory_iterator(folder))
      found.insert(entry.path().filename().string());
    return found;
  }
  std::set<std::string> names() const { return names(folder_); }

  static std::string problem_of(const fs::path& target) {
    try {
      const atomic_file file(target);
    } catch (const file_problem& problem) {
      return problem.what();
    }
    return "none";
  }

  static std::span<const std::byte> bytes(std::string_view text) {
    return std::as_bytes(std::span(text));
  }

 private:
  const fs::path folder_ =
      fs::temp_directory_path() / ("pappus_atomic_file_test_" + std::to_string(::getpid()));
};

TEST_F(atomic_file_test, appears_when_it_is_committed_and_leaves_nothing_beside_it) {
  std::ofstream(at("x")) << "old";
  atomic_file file(at("x"));
  file.append("new ");
  file.append("content");
  EXPECT_EQ(content(at("x")), "old");
  file.commit();
  EXPECT_EQ(content(at("x")), "new content");
  EXPECT_EQ(names(), std::set<std::string>{"x"});
}

TEST_F(atomic_file_test, has_no_name_before_it_is_complete) {
  const int unnamed = ::open(at("").c_str(), O_WRONLY | O_TMPFILE, 0666);
  if (unnamed < 0) GTEST_SKIP() << "the file system knows no unnamed files";
  ::close(unnamed);
  std::ofstream(at("old")) << "old";
  atomic_file replacing(at("old")), fresh(at("new"));
  replacing.append("replaced");
  fresh.append("made");
  EXPECT_EQ(names(), std::set<std::string>{"old"});
  replacing.commit();
  fresh.commit();
  EXPECT_EQ(names(), (std::set<std::string>{"new", "old"}));
  EXPECT_EQ(content(at("old")), "replaced");
  EXPECT_EQ(content(at("new")), "made");
}

TEST_F(atomic_file_test, is_written_at_offsets_in_any_order) {
  atomic_file file(at("x"));
  file.write(3, bytes("def"));
  file.write(0, bytes("abc"));
  file.commit();
  EXPECT_EQ(content(at("x")), "abcdef");
}

TEST_F(atomic_file_test, is_removed_when_it_is_not_committed) {
  atomic_file(at("x")).append("half");
  EXPECT_TRUE(names().empty());
}

TEST_F(atomic_file_test, is_removed_when_it_cannot_be_put_in_place) {
  fs::create_directories(at("below"));
  atomic_file file(at("below") / "x");
  fs::create_directories(at("below") / "x" / "y");  // meanwhile: a folder that a file can't replace
  try {
    file.commit();
    FAIL() << "committed";
  } catch (const file_problem& problem) {
    EXPECT_STREQ(problem.what(), "can't be put in place: Is a directory");
  }
  EXPECT_EQ(names(at("below")), std::set<std::string>{"x"});
}

TEST_F(atomic_file_test, says_what_the_system_refuses_to_write) {
  // A limit of the process stands in for a full disk; restored before anything else is written.
  ::rlimit old{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &old), 0);
  const auto on_excess = std::signal(SIGXFSZ, SIG_IGN);
  std::string found = "none";
  {
    atomic_file file(at("x"));
    const ::rlimit little{.rlim_cur = 100, .rlim_max = old.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &little);
    try {
      file.append(std::string(1000, 'x'));
    } catch (const file_problem& problem) {
      found = problem.what();
    }
    ::setrlimit(RLIMIT_FSIZE, &old);
  }
  std::signal(SIGXFSZ, on_excess);
  EXPECT_EQ(found, "writing failed: File too large");
  EXPECT_TRUE(names().empty());
}

TEST_F(atomic_file_test, has_partial_files_of_their_own_for_all_threads_that_write_one_target) {
  constexpr int threads = 8, rounds = 50;
  std::vector<std::jthread> writers;
  for (int t = 0; t < threads; ++t)
    writers.emplace_back([&, t] {
      for (int i = 0; i < rounds; ++i) {
        atomic_file file(at("x"));
        file.append(std::string(1000, static_cast<char>('a' + t)));
        file.append(std::string(1000, static_cast<char>('a' + t)));
        file.commit();
      }
    });
  writers.clear();
  const auto last = content(at("x"));
  EXPECT_EQ(last, std::string(2000, last.front()));
  EXPECT_EQ(names(), std::set<std::string>{"x"});
}

TEST_F(atomic_file_test, writes_into_no_partial_file_of_a_process_of_the_same_number) {
  // Of this process's numbers every other one is taken.
  const auto partial = "x." + std::to_string(::getpid()) + ".";
  for (int i = 0; i < 4000; i += 2)
    std::ofstream(at(partial + std::to_string(i) + ".new")) << "theirs";
  std::ofstream(at("x")) << "old";
  for (const char* text : {"ours", "ours again"}) {
    atomic_file file(at("x"));
    file.append(std::string_view(text));
    file.commit();
    EXPECT_EQ(content(at("x")), text);
  }
  EXPECT_EQ(names().size(), 2001U);
  for (const auto& name : names())
    if (name != "x") {
      EXPECT_EQ(content(at(name)), "theirs");
    }
}

TEST_F(atomic_file_test, makes_its_folder_where_it_may) {
  const auto below = at("a") / "b" / "x";
  EXPECT_EQ(problem_of(below), "can't be created: No such file or directory");
  EXPECT_TRUE(names().empty());
  atomic_file(below, atomic_file::folder::made).commit();
  EXPECT_EQ(content(below), "");
  atomic_file(at("own") / "x", atomic_file::folder::made_for_owner).commit();
  EXPECT_EQ(fs::status(at("own")).permissions(), fs::perms::owner_all);
  // One that is there stays as it is.
  const auto before = fs::status(at("a")).permissions();
  atomic_file(at("a") / "x", atomic_file::folder::made_for_owner).commit();
  EXPECT_EQ(fs::status(at("a")).permissions(), before);
}

TEST_F(atomic_file_test, replaces_what_a_link_points_to_and_keeps_permissions) {
  std::ofstream(at("target")) << "old";
  fs::permissions(at("target"), fs::perms::owner_read | fs::perms::owner_write);
  fs::create_symlink("target", at("link"));
  atomic_file file(at("link"));
  file.append("new");
  file.commit();
  EXPECT_TRUE(fs::is_symlink(at("link")));
  EXPECT_EQ(content(at("target")), "new");
  EXPECT_EQ(fs::status(at("target")).permissions(), fs::perms::owner_read | fs::perms::owner_write);
}

TEST_F(atomic_file_test, replaces_regular_files_only) {
  EXPECT_EQ(problem_of("/dev/null"),
            "can't be replaced: expected a regular file or none, got a pipe or device");
  EXPECT_EQ(problem_of(at("")), "can't be replaced: expected a regular file or none, got a folder");
}

}  // namespace
}  // namespace pappus::base

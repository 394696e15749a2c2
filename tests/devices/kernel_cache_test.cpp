// The cache of compiled kernels: never a wrong binary, whatever happens to its folder.
#include "devices/kernel_cache.h"

#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace pappus::devices {
namespace {

namespace fs = std::filesystem;
using bytes = std::vector<std::byte>;

constexpr std::size_t plenty = 1 << 20;

bytes bytes_of(std::string_view text) {
  const auto view = std::as_bytes(std::span(text));
  return {view.begin(), view.end()};
}

class kernel_cache_test : public ::testing::Test {
 protected:
  kernel_cache_test() {
    std::string pattern = ::testing::TempDir() + "kernel_cache_XXXXXX";
    if (::mkdtemp(pattern.data()) == nullptr) std::abort();
    root = pattern;
    folder = root / "kernels";
  }
  ~kernel_cache_test() override { fs::remove_all(root); }

  std::vector<fs::path> files() const {
    std::vector<fs::path> all;
    for (const auto& entry : fs::directory_iterator(folder)) all.push_back(entry.path());
    return all;
  }
  // The one file that a fresh cache makes of an entry.
  fs::path store_alone(std::string_view key, const bytes& binary) {
    fs::remove_all(folder);
    kernel_cache(folder, plenty).store(key, binary);
    const auto all = files();
    EXPECT_EQ(all.size(), 1u);
    return all.at(0);
  }
  static std::string read(const fs::path& file) {
    std::ifstream stream(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
  }
  static void write(const fs::path& file, std::string_view content) {
    std::ofstream(file, std::ios::binary) << content;
  }
  static void used(const fs::path& file, std::chrono::seconds ago) {
    fs::last_write_time(file, fs::file_time_type::clock::now() - ago);
  }

  fs::path root, folder;
};

TEST_F(kernel_cache_test, finds_what_it_stored_and_nothing_else) {
  kernel_cache cache(folder, plenty);
  EXPECT_TRUE(cache.keeps());
  EXPECT_EQ(cache.find("kernel"), std::nullopt);
  EXPECT_FALSE(fs::exists(folder)) << "looking for an entry made the folder";
  cache.store("kernel", bytes_of("binary"));
  cache.store("empty", {});
  EXPECT_EQ(cache.find("kernel"), bytes_of("binary"));
  EXPECT_EQ(cache.find("empty"), bytes{});
  EXPECT_TRUE(cache.contains("kernel"));
  EXPECT_FALSE(cache.contains("kerne"));
  const auto counts = cache.counts();
  EXPECT_EQ(counts.hits, 2u);
  EXPECT_EQ(counts.misses, 1u);
  EXPECT_EQ(counts.stores, 2u);
  EXPECT_EQ(counts.corrupt + counts.evicted + counts.unwritable, 0u);
}

TEST_F(kernel_cache_test, keeps_entries_for_other_processes) {
  kernel_cache(folder, plenty).store("kernel", bytes_of("binary"));
  EXPECT_EQ(kernel_cache(folder, plenty).find("kernel"), bytes_of("binary"));
}

TEST_F(kernel_cache_test, replaces_an_entry) {
  kernel_cache cache(folder, plenty);
  cache.store("kernel", bytes_of("the old binary"));
  cache.store("kernel", bytes_of("new"));
  EXPECT_EQ(cache.find("kernel"), bytes_of("new"));
  EXPECT_EQ(files().size(), 1u);
}

TEST_F(kernel_cache_test, tells_keys_apart_that_differ_in_one_byte) {
  kernel_cache cache(folder, plenty);
  const std::string key = "__kernel void f(__global int* out) {}";
  cache.store(key, bytes_of(key));
  for (std::size_t i = 0; i < key.size(); ++i) {
    std::string other = key;
    other[i] ^= 1;
    EXPECT_EQ(cache.find(other), std::nullopt) << "byte " << i;
    cache.store(other, bytes_of(other));
  }
  EXPECT_EQ(cache.find(key + '\0'), std::nullopt);
  EXPECT_EQ(cache.find(key.substr(1)), std::nullopt);
  EXPECT_EQ(cache.find(key), bytes_of(key));
  EXPECT_EQ(files().size(), key.size() + 1);
}

TEST_F(kernel_cache_test, does_not_trust_the_name_of_a_file) {
  const fs::path other = store_alone("another key", bytes_of("another binary"));
  const std::string content = read(other);
  const fs::path file = store_alone("kernel", bytes_of("binary"));
  write(file, content);
  kernel_cache cache(folder, plenty);
  EXPECT_FALSE(cache.contains("kernel"));
  EXPECT_EQ(cache.find("kernel"), std::nullopt);
  cache.store("kernel", bytes_of("binary"));
  EXPECT_EQ(cache.find("kernel"), bytes_of("binary"));
}

// What find() makes of a damaged entry, and that the entry can be made anew.
void expect_rebuilt(const fs::path& folder, const std::string& what) {
  kernel_cache cache(folder, plenty);
  ASSERT_EQ(cache.find("kernel"), std::nullopt) << what;
  ASSERT_EQ(cache.counts().corrupt, 1u) << what;
  ASSERT_EQ(cache.counts().misses, 1u) << what;
  ASSERT_TRUE(fs::is_empty(folder)) << what << ": the entry is still there";
  cache.store("kernel", bytes_of("binary"));
  ASSERT_EQ(cache.find("kernel"), bytes_of("binary")) << what;
}

TEST_F(kernel_cache_test, rebuilds_an_entry_cut_short_at_any_length) {
  const fs::path file = store_alone("kernel", bytes_of("binary"));
  const std::string whole = read(file);
  for (std::size_t length = 0; length < whole.size(); ++length) {
    write(file, whole.substr(0, length));
    ASSERT_NO_FATAL_FAILURE(expect_rebuilt(folder, "cut to " + std::to_string(length)));
  }
  write(file, whole + '\0');
  expect_rebuilt(folder, "one byte too long");
}

TEST_F(kernel_cache_test, rebuilds_an_entry_with_any_bit_flipped) {
  const fs::path file = store_alone("kernel", bytes_of("binary"));
  const std::string whole = read(file);
  for (std::size_t bit = 0; bit < whole.size() * 8; ++bit) {
    std::string damaged = whole;
    damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ (1 << bit % 8));
    write(file, damaged);
    ASSERT_NO_FATAL_FAILURE(expect_rebuilt(folder, "bit " + std::to_string(bit)));
  }
}

TEST_F(kernel_cache_test, rebuilds_an_entry_with_a_stretch_overwritten) {
  const auto seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  bytes binary(5000);
  for (auto& b : binary) b = static_cast<std::byte>(random());
  const fs::path file = store_alone("kernel", binary);
  const std::string whole = read(file);
  for (int round = 0; round < 300; ++round) {
    std::string damaged = whole;
    const std::size_t at = random() % whole.size();
    const std::size_t length = 1 + random() % (whole.size() - at);
    for (std::size_t i = at; i < at + length; ++i) damaged[i] = static_cast<char>(random());
    if (damaged == whole) continue;
    write(file, damaged);
    EXPECT_EQ(kernel_cache(folder, plenty).find("kernel"), std::nullopt);
  }
}

TEST_F(kernel_cache_test, survives_a_folder_in_place_of_an_entry) {
  const fs::path file = store_alone("kernel", bytes_of("binary"));
  fs::remove(file);
  fs::create_directories(file / "something");
  kernel_cache cache(folder, plenty);
  EXPECT_FALSE(cache.contains("kernel"));
  EXPECT_EQ(cache.find("kernel"), std::nullopt);
  cache.store("kernel", bytes_of("binary"));
  EXPECT_EQ(cache.counts().unwritable, 1u);
  EXPECT_EQ(files().size(), 1u) << "a file that couldn't be renamed was left";
}

TEST_F(kernel_cache_test, makes_a_folder_that_was_removed) {
  kernel_cache cache(folder, plenty);
  cache.store("a", bytes_of("a"));
  fs::remove_all(folder);
  EXPECT_EQ(cache.find("a"), std::nullopt);
  cache.store("b", bytes_of("b"));
  EXPECT_EQ(cache.find("b"), bytes_of("b"));
  EXPECT_EQ(fs::status(folder).permissions(), fs::perms::owner_all);
}

TEST_F(kernel_cache_test, goes_without_a_folder_that_cannot_be_made) {
  write(root / "file", "no folder");
  kernel_cache cache(root / "file" / "kernels", plenty);
  cache.store("kernel", bytes_of("binary"));
  EXPECT_EQ(cache.find("kernel"), std::nullopt);
  EXPECT_EQ(cache.counts().unwritable, 1u);
  EXPECT_EQ(cache.counts().stores, 0u);
}

// Runs `body` in a process of its own; its answer is the exit status, 0 for success.
template <typename Body>
pid_t in_a_process(const Body& body) {
  const pid_t child = ::fork();
  if (child != 0) return child;
  ::_exit(body());
}

int exit_status(pid_t child) {
  int status = 0;
  if (::waitpid(child, &status, 0) != child || !WIFEXITED(status)) return -1;
  return WEXITSTATUS(status);
}

TEST_F(kernel_cache_test, reads_a_folder_that_it_may_not_write) {
  store_alone("kernel", bytes_of("binary"));
  const auto everybody_reads = fs::perms::owner_read | fs::perms::owner_exec |
                               fs::perms::group_read | fs::perms::group_exec |
                               fs::perms::others_read | fs::perms::others_exec;
  fs::permissions(folder, everybody_reads);
  fs::permissions(root, everybody_reads);
  const int failed_at = exit_status(in_a_process([&] {
    // The superuser may write everywhere.
    if (::geteuid() == 0 && ::setuid(65534) != 0) return 1;
    kernel_cache cache(folder, plenty);
    if (cache.find("kernel") != bytes_of("binary")) return 2;
    cache.store("another", bytes_of("binary"));
    if (cache.counts().unwritable != 1 || cache.counts().stores != 0) return 3;
    return cache.find("another") == std::nullopt ? 0 : 4;
  }));
  fs::permissions(root, fs::perms::owner_all);
  fs::permissions(folder, fs::perms::owner_all);
  EXPECT_EQ(failed_at, 0);
  EXPECT_EQ(files().size(), 1u);
}

TEST_F(kernel_cache_test, removes_the_longest_unused_beyond_its_cap) {
  const bytes binary(1000);
  const auto entry_bytes = fs::file_size(store_alone("0", binary));
  kernel_cache cache(folder, 3 * entry_bytes);
  used(files().at(0), std::chrono::hours(1));
  const fs::path first = files().at(0);
  cache.store("1", binary);
  for (const auto& file : files())
    if (file != first) used(file, std::chrono::hours(2));
  cache.store("2", binary);
  EXPECT_EQ(cache.counts().evicted, 0u);
  cache.store("3", binary);
  EXPECT_EQ(cache.counts().evicted, 1u);
  EXPECT_TRUE(cache.contains("0"));
  EXPECT_FALSE(cache.contains("1"));
  EXPECT_TRUE(cache.contains("2"));
  EXPECT_TRUE(cache.contains("3"));
}

TEST_F(kernel_cache_test, keeps_what_it_stores_even_if_the_clock_went_back) {
  const bytes binary(1000);
  const fs::path first = store_alone("0", binary);
  used(first, -std::chrono::hours(1));
  kernel_cache cache(folder, fs::file_size(first));
  cache.store("1", binary);
  EXPECT_TRUE(cache.contains("1"));
  EXPECT_FALSE(cache.contains("0"));
}

TEST_F(kernel_cache_test, counts_finding_an_entry_as_use_of_it) {
  const fs::path file = store_alone("kernel", bytes_of("binary"));
  kernel_cache cache(folder, plenty);
  used(file, std::chrono::hours(2));
  ASSERT_TRUE(cache.find("kernel"));
  EXPECT_LT(fs::file_time_type::clock::now() - fs::last_write_time(file), std::chrono::hours(1));
}

TEST_F(kernel_cache_test, does_not_renew_an_entry_used_just_now) {
  const fs::path file = store_alone("kernel", bytes_of("binary"));
  used(file, -std::chrono::seconds(30));  // ahead, so that a slow machine can't make it old
  const auto before = fs::last_write_time(file);
  ASSERT_TRUE(kernel_cache(folder, plenty).find("kernel"));
  EXPECT_EQ(fs::last_write_time(file), before);
}

TEST_F(kernel_cache_test, does_not_store_what_alone_exceeds_the_cap) {
  kernel_cache cache(folder, 1000);
  cache.store("small", bytes(100));
  cache.store("large", bytes(1000));
  EXPECT_TRUE(cache.contains("small"));
  EXPECT_FALSE(cache.contains("large"));
  EXPECT_EQ(cache.counts().stores, 1u);
}

TEST_F(kernel_cache_test, removes_no_file_that_is_not_its_own) {
  const std::string hash(32, '0');
  fs::create_directories(folder);
  for (const std::string& name :
       {std::string("thesis.kernel"), std::string("notes.new"), hash, hash + ".txt"}) {
    write(folder / name, std::string(10'000, 'x'));
    used(folder / name, std::chrono::hours(24));
  }
  kernel_cache cache(folder, 1000);
  for (const char* key : {"a", "b", "c"}) cache.store(key, bytes(600));
  EXPECT_EQ(cache.counts().evicted, 2u);
  EXPECT_EQ(files().size(), 4u + 1u);
}

TEST_F(kernel_cache_test, removes_what_a_killed_process_left_half_written) {
  const fs::path file = store_alone("kernel", bytes_of("binary"));
  const fs::path abandoned = file.native() + ".1.0.new", in_use = file.native() + ".1.1.new";
  write(abandoned, "half");
  used(abandoned, std::chrono::hours(2));
  write(in_use, "half");
  kernel_cache(folder, plenty).store("another", bytes_of("binary"));
  EXPECT_FALSE(fs::exists(abandoned));
  EXPECT_TRUE(fs::exists(in_use));
}

// Containers may share a folder and have processes of the same number.
TEST_F(kernel_cache_test, writes_into_no_file_that_another_process_is_writing) {
  const fs::path file = store_alone("kernel", bytes_of("binary"));
  std::vector<fs::path> theirs;
  for (int i = 0; i < 50; ++i) {
    theirs.push_back(file.native() + "." + std::to_string(::getpid()) + "." + std::to_string(i) +
                     ".new");
    write(theirs.back(), "theirs");
  }
  kernel_cache cache(folder, plenty);
  cache.store("kernel", bytes_of("new"));
  EXPECT_EQ(cache.find("kernel"), bytes_of("new"));
  for (const auto& path : theirs) EXPECT_EQ(read(path), "theirs");
}

// What process p stores under key k is one of many binaries that tell torn ones from whole ones.
bytes variant_of(std::size_t k, std::size_t p) {
  bytes binary(500 + 3000 * k + 100 * p, static_cast<std::byte>(p));
  binary.at(0) = static_cast<std::byte>(k);
  return binary;
}

bool is_variant_of(std::size_t k, const bytes& binary) {
  if (binary.size() < 2) return false;
  return binary == variant_of(k, static_cast<std::size_t>(binary.back()));
}

constexpr std::size_t writers = 8, writer_threads = 3, shared_keys = 6;

// One process: threads that store and find keys that others use too, and keys of their own.
int store_and_find(const fs::path& folder, std::size_t cap, std::size_t process) {
  std::atomic<int> wrong{0};
  kernel_cache cache(folder, cap);
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < writer_threads; ++t)
    threads.emplace_back([&, t] {
      const std::string own = "own " + std::to_string(process) + "." + std::to_string(t);
      for (std::size_t i = 0; i < 60; ++i) {
        const std::size_t k = (i * 7 + t + process) % shared_keys;
        const std::string key = "shared " + std::to_string(k);
        const auto found = cache.find(key);
        if (found && !is_variant_of(k, *found)) ++wrong;
        if (!found || i % 3 == 0) cache.store(key, variant_of(k, process));
        cache.store(own, variant_of(k, process));
        const auto mine = cache.find(own);
        if (mine && *mine != variant_of(k, process)) ++wrong;
      }
    });
  for (auto& thread : threads) thread.join();
  const auto counts = cache.counts();
  return wrong != 0 ? 1 : counts.corrupt != 0 ? 2 : counts.unwritable != 0 ? 3 : 0;
}

TEST_F(kernel_cache_test, is_shared_by_processes_and_their_threads) {
  for (const std::size_t cap : {plenty, std::size_t{40'000}}) {
    SCOPED_TRACE("cap " + std::to_string(cap));
    fs::remove_all(folder);
    std::vector<pid_t> children;
    for (std::size_t p = 0; p < writers; ++p)
      children.push_back(in_a_process([&] { return store_and_find(folder, cap, p); }));
    for (const pid_t child : children)
      EXPECT_EQ(exit_status(child), 0) << "1: wrong bytes, 2: corrupt, 3: unwritable";
    for (const auto& file : files())
      EXPECT_EQ(file.extension(), ".kernel") << file << " was left half-written";
    kernel_cache cache(folder, cap);
    for (std::size_t k = 0; k < shared_keys; ++k)
      if (const auto found = cache.find("shared " + std::to_string(k))) {
        EXPECT_TRUE(is_variant_of(k, *found));
      } else {
        EXPECT_LT(cap, plenty) << "key " << k << " is gone";
      }
    cache.store("the last", {});
    std::uintmax_t total = 0;
    for (const auto& file : files()) total += fs::file_size(file);
    EXPECT_LE(total, cap);
  }
}

TEST(kernel_cache, keeps_nothing_without_a_folder) {
  kernel_cache cache({}, plenty);
  EXPECT_FALSE(cache.keeps());
  cache.store("kernel", bytes_of("binary"));
  EXPECT_FALSE(cache.contains("kernel"));
  EXPECT_EQ(cache.find("kernel"), std::nullopt);
  EXPECT_EQ(cache.counts().misses, 1u);
  EXPECT_EQ(cache.counts().unwritable, 0u);
}

TEST(kernel_cache, is_where_the_environment_says) {
  EXPECT_EQ(kernel_cache_folder("/kernels", "/xdg", "/home"), "/kernels");
  EXPECT_EQ(kernel_cache_folder(nullptr, "/xdg", "/home"), "/xdg/pappus/kernels");
  EXPECT_EQ(kernel_cache_folder("", nullptr, "/home"), "/home/.cache/pappus/kernels");
  EXPECT_EQ(kernel_cache_folder(nullptr, "relative", "/home"), "/home/.cache/pappus/kernels");
  EXPECT_EQ(kernel_cache_folder(nullptr, nullptr, nullptr), "");
  EXPECT_EQ(kernel_cache_folder("off", "/xdg", "/home"), "");
}

}  // namespace
}  // namespace pappus::devices

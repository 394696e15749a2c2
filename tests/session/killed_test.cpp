// A process that dies while it sorts more than memory has room for and writes the result, and a
// disk that is full meanwhile: the file is the old one or the new one, never a part.
#include <signal.h>
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "pappus/pappus.h"
#include "support/spill_folder.h"

namespace pappus::killed {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using testing::spill_folder;

constexpr std::size_t MiB = std::size_t{1} << 20;

struct item {
  std::int64_t key, row;
};
using items = std::vector<item>;

std::string bytes_of(const items& all) {
  return {reinterpret_cast<const char*>(all.data()), all.size() * sizeof(item)};
}
void write_file(const std::string& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}
std::string read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string bytes(std::filesystem::file_size(path), '\0');
  file.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  return bytes;
}

/// Folders for rows that rest and for what is written, and the input beside them.
struct places {
  std::string spill, results, input, result;
  explicit places(const std::string& folder)
      : spill(folder + "/spill"),
        results(folder + "/results"),
        input(folder + "/input.raw"),
        result(results + "/sorted.raw") {}
  options settings(std::size_t memory) const {
    return {.threads = 2, .host_memory = memory, .devices = "cpu", .spill = spill};
  }
};

items input_rows() {
  items all;
  for (std::int64_t i = 0; i < 400'000; ++i) all.push_back({i * 7'919 % 100'003, i});  // 6.1 MiB
  return all;
}
items sorted(items all) {
  std::ranges::stable_sort(all, {}, &item::key);
  return all;
}
void sort_file(session& s, const places& at) {
  s.raw<item>(at.input).sort_by(&item::key).write(at.result);
}

void make(const places& at) {
  std::filesystem::create_directory(at.spill);
  std::filesystem::create_directory(at.results);
  write_file(at.input, bytes_of(input_rows()));
}

void sort_until_killed(const places& at, std::chrono::microseconds after) {
  std::thread([after] {
    std::this_thread::sleep_for(after);
    ::raise(SIGKILL);
  }).detach();
  session s(at.settings(8 * MiB));
  for (;;) sort_file(s, at);
}

/// PAPPUS_KILLS=100 for more.
int kills() {
  const char* const text = std::getenv("PAPPUS_KILLS");
  return text == nullptr ? 10 : std::atoi(text);
}

TEST(killed_death, leaves_the_old_file_or_the_new_one) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  constexpr const char* variable = "PAPPUS_TEST_KILLED_FOLDER";  // the child begins anew
  std::unique_ptr<spill_folder> own;
  if (std::getenv(variable) == nullptr) {
    own = std::make_unique<spill_folder>();
    ::setenv(variable, own->path().c_str(), 1);
    make(places(own->path()));
  }
  const places at(std::getenv(variable));
  const std::string old = "what was there", expected = own ? bytes_of(sorted(input_rows())) : "";
  for (int i = 0; i < kills(); ++i) {
    if (own) write_file(at.result, old);
    const std::chrono::microseconds after(i * 1'299'709 % 200'003);
    EXPECT_EXIT(sort_until_killed(at, after), ::testing::KilledBySignal(SIGKILL), "");
    if (!own) continue;
    const auto found = read_file(at.result);
    EXPECT_TRUE(found == old || found == expected) << found.size() << " bytes, kill " << i;
    EXPECT_TRUE(std::filesystem::is_empty(at.spill));
    // For a moment before it replaces the old one, the new file has a name that tells so.
    for (const auto& file : std::filesystem::directory_iterator(at.results))
      EXPECT_TRUE(file.path() == at.result || (file.path().string().starts_with(at.result + ".") &&
                                               file.path().extension() == ".new"))
          << file.path();
  }
  ::unsetenv(variable);
}

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

TEST(full_disk, of_the_result_or_of_rows_that_rest_is_named_and_leaves_the_old_file) {
  const spill_folder folder;
  const places at(folder.path());
  make(at);
  write_file(at.result, "what was there");
  session large(at.settings(512 * MiB)), small(at.settings(8 * MiB));
  const auto problem = [&](session& s) -> std::string {
    const little_disk full(2 * MiB);
    try {
      sort_file(s, at);
    } catch (const format_error& e) {
      return std::string("format_error: ") + e.what();
    } catch (const spill_error& e) {
      return std::string("spill_error: ") + e.what();
    }
    return "";
  };
  EXPECT_THAT(problem(large),
              AllOf(HasSubstr("format_error: " + at.result), HasSubstr("File too large")));
  EXPECT_THAT(problem(small), AllOf(HasSubstr("spill_error: sort_by"), HasSubstr(at.spill),
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

}  // namespace
}  // namespace pappus::killed

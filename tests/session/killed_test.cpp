// A process that dies while it sorts more than memory has room for and writes the result: the file
// is the old one or the new one, never a part.
#include <signal.h>

#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>
#include <thread>

#include <gtest/gtest.h>

#include "pappus/pappus.h"
#include "session/sorted_file.h"
#include "support/spill_folder.h"

namespace pappus::sorted_file {
namespace {

using testing::spill_folder;

void sort_until_killed(const places& at, std::chrono::microseconds after) {
  std::thread([after] {
    std::this_thread::sleep_for(after);
    ::raise(SIGKILL);
  }).detach();
  session s(at.settings(std::size_t{8} << 20));
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

}  // namespace
}  // namespace pappus::sorted_file

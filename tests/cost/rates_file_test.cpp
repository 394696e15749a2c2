// Measured rates survive between runs; a file that isn't ours changes nothing.
#include "cost/rates_file.h"

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "pappus/error.h"

namespace pappus::cost {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// A folder of this test, removed when it ends.
class rates_file : public ::testing::Test {
 protected:
  std::filesystem::path folder =
      std::filesystem::temp_directory_path() / ("pappus-rates-" + std::to_string(::getpid()));
  std::string path = (folder / "below" / "machine.json").string();

  ~rates_file() override { std::filesystem::remove_all(folder); }

  void write(const std::string& text) {
    std::filesystem::create_directories(folder / "below");
    std::ofstream(path) << text;
  }
  stored_rates loaded_from(const std::string& text) {
    write(text);
    return load_rates(path);
  }
};

device_rates card(const std::string& name, double launch_us) {
  return {.name = name,
          .kind = "Card 9; driver 3",
          .memory_bytes = 8e9,
          .launch_us = launch_us,
          .to_gb_per_s = 12.5,
          .measured = "2026-03-31"};
}

TEST_F(rates_file, gives_back_what_was_stored) {
  stored_rates rates;
  rates.remember(cpu_rates{"Core 7", 8, 71.5, "2026-03-31"});
  rates.remember(card("opencl:0", 12));
  rates.remember(disk_rates{"/data", 9, 9, "2026-03-30"});
  rates.remember(disk_rates{"/data", 1.25, 2.5, "2026-03-31"});
  store_rates(path, rates);
  const auto found = load_rates(path);
  EXPECT_EQ(found.warning, "");
  ASSERT_NE(found.find_disk("/data"), nullptr);
  EXPECT_EQ(found.find_disk("/data")->write_gb_per_s, 1.25);
  EXPECT_EQ(found.find_disk("/data")->read_gb_per_s, 2.5);
  EXPECT_EQ(found.find_disk("/"), nullptr);
  ASSERT_NE(found.find_cpu("Core 7"), nullptr);
  EXPECT_EQ(found.find_cpu("Core 7")->memory_gb_per_s, 71.5);
  EXPECT_EQ(found.find_cpu("Core 7")->threads, 8u);
  const auto* device = found.find_device("Card 9; driver 3", "opencl:0");
  ASSERT_NE(device, nullptr);
  EXPECT_EQ(device->launch_us, 12);
  EXPECT_EQ(device->to_gb_per_s, 12.5);
  EXPECT_EQ(device->measured, "2026-03-31");
  EXPECT_FALSE(device->host_memory);
}

TEST_F(rates_file, knows_a_device_by_its_kind_then_by_its_name) {
  stored_rates rates;
  rates.remember(card("opencl:0", 12));
  rates.remember(card("opencl:1", 20));
  EXPECT_EQ(rates.find_device("Card 9; driver 3", "opencl:1")->launch_us, 20);
  EXPECT_EQ(rates.find_device("Card 9; driver 3", "opencl:7")->launch_us, 12);
  EXPECT_EQ(rates.find_device("Card 9; driver 4", "opencl:0"), nullptr);
  EXPECT_EQ(rates.find_cpu("Core 7"), nullptr);
}

TEST_F(rates_file, keeps_what_was_measured_elsewhere_and_replaces_its_own) {
  stored_rates rates;
  rates.remember(cpu_rates{"Core 7", 8, 71.5, "2026-03-31"});
  rates.remember(cpu_rates{"Core 3", 2, 20, "2026-03-31"});
  rates.remember(cpu_rates{"Core 7", 8, 60, "2026-04-01"});
  rates.remember(card("opencl:0", 12));
  rates.remember(card("opencl:0", 9));
  EXPECT_EQ(rates.cpus.size(), 2u);
  EXPECT_EQ(rates.find_cpu("Core 7")->memory_gb_per_s, 60);
  ASSERT_EQ(rates.devices.size(), 1u);
  EXPECT_EQ(rates.devices[0].launch_us, 9);
}

TEST_F(rates_file, that_is_missing_holds_nothing_and_is_no_problem) {
  for (const auto& none : {path, std::string()}) {
    const auto found = load_rates(none);
    EXPECT_THAT(found.cpus, IsEmpty());
    EXPECT_EQ(found.warning, "");
  }
}

TEST_F(rates_file, that_is_corrupt_is_ignored_with_a_warning_that_names_it) {
  for (const char* text : {"", "{\"pappus_rates\": 1, \"cpus\": [", "[1, 2]", "{\"devices\": []}",
                           "{\"pappus_rates\": 2, \"cpus\": [], \"devices\": []}",
                           "{\"pappus_rates\": 1, \"cpus\": [{\"name\": 3}], \"devices\": []}"}) {
    const auto found = loaded_from(text);
    EXPECT_THAT(found.cpus, IsEmpty()) << text;
    EXPECT_THAT(found.warning, AllOf(HasSubstr(path), HasSubstr("ignored"))) << text;
  }
}

TEST_F(rates_file, with_an_impossible_rate_is_ignored_as_a_whole) {
  for (const double wrong : {0.0, -3.0}) {
    stored_rates rates;
    rates.remember(cpu_rates{"Core 7", 8, 71.5, "2026-03-31"});
    rates.remember(card("opencl:0", wrong));
    store_rates(path, rates);
    const auto found = load_rates(path);
    EXPECT_THAT(found.cpus, IsEmpty());
    EXPECT_THAT(found.warning, HasSubstr("launch_us: expected a positive number"));
  }
}

TEST_F(rates_file, leaves_nothing_beside_it_when_stored) {
  store_rates(path, {});
  store_rates(path, {});
  std::size_t files = 0;
  for ([[maybe_unused]] const auto& file : std::filesystem::directory_iterator(folder / "below"))
    ++files;
  EXPECT_EQ(files, 1u);
}

TEST_F(rates_file, that_cant_be_written_is_an_error_that_names_it) {
  write("a file where a folder should be");
  try {
    store_rates(path + "/machine.json", {});
    FAIL() << "stored";
  } catch (const error& e) {
    EXPECT_THAT(e.what(), AllOf(HasSubstr(path + "/machine.json"), HasSubstr("PAPPUS_MACHINE")));
  }
}

TEST(use_measured, replaces_the_guess_for_this_processor_only) {
  machine m{.threads = 4, .memory_gb_per_s = 60};
  stored_rates rates;
  rates.remember(cpu_rates{"a processor nobody has", 8, 300, "2026-03-31"});
  use_measured(m, rates);
  EXPECT_EQ(m.memory_gb_per_s, 60);
  rates.remember(cpu_rates{processor_name(), 8, 100, "2026-03-31"});
  use_measured(m, rates);
  EXPECT_EQ(m.memory_gb_per_s, 50);
}

TEST(rates_path, follows_the_environment) {
  ::setenv("XDG_CACHE_HOME", "/cache", 1);
  ::unsetenv("PAPPUS_MACHINE");
  EXPECT_EQ(rates_path(), "/cache/pappus/machine.json");
  ::setenv("PAPPUS_MACHINE", "/elsewhere/rates.json", 1);
  EXPECT_EQ(rates_path(), "/elsewhere/rates.json");
  ::unsetenv("PAPPUS_MACHINE");
  ::unsetenv("XDG_CACHE_HOME");
  ::setenv("HOME", "/somebody", 1);
  EXPECT_EQ(rates_path(), "/somebody/.cache/pappus/machine.json");
  ::setenv("XDG_CACHE_HOME", "relative", 1);
  EXPECT_EQ(rates_path(), "/somebody/.cache/pappus/machine.json");
}

TEST(scaled_bandwidth, grows_with_threads_until_the_memory_is_busy) {
  EXPECT_DOUBLE_EQ(scaled_bandwidth(80, 8, 4), 40);
  EXPECT_DOUBLE_EQ(scaled_bandwidth(80, 8, 64), 80);
  EXPECT_DOUBLE_EQ(scaled_bandwidth(80, 64, 1), 10);
}

}  // namespace
}  // namespace pappus::cost

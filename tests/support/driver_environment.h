// What drivers of devices find in a test program's environment.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <string>

namespace pappus::testing {

/// Whether compiled kernels are kept in a folder of the process's own, for it and those it starts.
/// PoCL keeps what it compiled itself, and would compile all that ran once more if asked for it.
enum class kernels { kept, not_kept };

/// PoCL, where it is installed, is asked for devices that stand in for a node with several. Drivers
/// read their environment once a process, before any test of the program asks for devices: add it
/// by AddGlobalTestEnvironment.
class driver_environment : public ::testing::Environment {
 public:
  /// \param pocl_devices  "basic basic": two.
  driver_environment(const char* pocl_devices, kernels are)
      : pocl_devices_(pocl_devices), are_kept_(are == kernels::kept) {}

  void SetUp() override {
    folder_ =
        std::filesystem::temp_directory_path() / ("pappus_driver_test_" + std::to_string(getpid()));
    setenv("POCL_DEVICES", pocl_devices_, 0);
    if (!are_kept_) {
      setenv("PAPPUS_CACHE", "off", 1);
      return;
    }
    // A process that a test starts finds what this one kept.
    if (std::getenv("PAPPUS_TEST_CACHE") != nullptr) return;
    setenv("PAPPUS_TEST_CACHE", folder_.c_str(), 1);
    setenv("PAPPUS_CACHE", folder_.c_str(), 1);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

 private:
  const char* pocl_devices_;
  bool are_kept_;
  std::filesystem::path folder_;
};

}  // namespace pappus::testing

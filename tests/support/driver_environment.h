// What drivers of devices find in a test program's environment.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <string>

namespace pappus::testing {

/// PoCL, where it is installed, is asked for devices that stand in for a node with several, and
/// kernels are kept in a folder of the program's own. Drivers read their environment once a
/// process, before any test of the program asks for devices: add it by AddGlobalTestEnvironment.
class driver_environment : public ::testing::Environment {
 public:
  /// \param pocl_devices  "basic basic": two.
  explicit driver_environment(const char* pocl_devices) : pocl_devices_(pocl_devices) {}

  void SetUp() override {
    folder_ =
        std::filesystem::temp_directory_path() / ("pappus_driver_test_" + std::to_string(getpid()));
    setenv("POCL_DEVICES", pocl_devices_, 0);
    // A process that a test starts finds what this one kept.
    if (std::getenv("PAPPUS_TEST_CACHE") != nullptr) return;
    setenv("PAPPUS_TEST_CACHE", folder_.c_str(), 1);
    setenv("PAPPUS_CACHE", folder_.c_str(), 1);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

 private:
  const char* pocl_devices_;
  std::filesystem::path folder_;
};

}  // namespace pappus::testing

// All tests of this program have few rows in little memory: it is scaled before the first begins.
#include <optional>

#include <gtest/gtest.h>

#include "base/memory_scale.h"
#include "support/scaled_memory.h"

namespace pappus::testing {
namespace {

class scaled_tests : public ::testing::Environment {
 public:
  void SetUp() override { scaled_.emplace(); }
  void TearDown() override { scaled_.reset(); }

 private:
  std::optional<scaled_memory> scaled_;
};

[[maybe_unused]] const auto* const scaled_here =
    ::testing::AddGlobalTestEnvironment(new scaled_tests);

TEST(scaled_memory, is_what_all_tests_here_have) { EXPECT_EQ(base::memory_scale(), memory_scale); }

}  // namespace
}  // namespace pappus::testing

#include "levels/level.h"

#include <cstdlib>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include <gtest/gtest.h>

#include "levels/kernels.h"
#include "pappus/error.h"
#include "pappus/session.h"

namespace pappus::levels {
namespace {

// The level that a session runs at when the variable says so.
level level_of_session(const char* setting) {
  struct restored {
    ~restored() { ::unsetenv("PAPPUS_LEVEL"); }
  } later;
  ::setenv("PAPPUS_LEVEL", setting, 1);
  const session s{options{.threads = 1}};
  return in_use();
}

TEST(level, is_the_processors_highest_unless_the_environment_says_otherwise) {
  EXPECT_EQ(level_of_session(""), available().back());
  EXPECT_EQ(available().front(), level::v2);
}

TEST(level, is_any_that_the_environment_says_and_the_processor_has) {
  if (available().size() == 1) GTEST_SKIP() << "this processor has one level";
  for (const level wanted : available())
    EXPECT_EQ(level_of_session(std::string(name(wanted).substr(7)).c_str()), wanted);
}

TEST(level, that_does_not_exist_is_refused_when_a_session_is_made) {
  if (available().size() != 3) GTEST_SKIP() << "this processor has no AVX-512";
  try {
    level_of_session("avx2");
    FAIL() << "accepted";
  } catch (const usage_error& e) {
    EXPECT_STREQ(e.what(), "PAPPUS_LEVEL: expected v2, v3 or v4, got \"avx2\"");
  }
}

TEST(level, that_the_processor_lacks_is_refused) {
  const auto parse = [](std::string_view word, std::size_t count) {
    constexpr level all[] = {level::v2, level::v3, level::v4};
    return level_of(word, std::span(all).first(count));
  };
  if (name(level::v2) != "x86-64-v2") GTEST_SKIP() << "this processor has one level";
  EXPECT_EQ(parse("v3", 2), level::v3);
  for (const auto& [count, expected] : {std::pair{1, "v2"}, std::pair{2, "v2 or v3"}}) {
    try {
      parse("v4", count);
      FAIL() << "accepted";
    } catch (const usage_error& e) {
      EXPECT_EQ(e.what(), "PAPPUS_LEVEL: expected " + std::string(expected) +
                              ", the levels that this processor has, got \"v4\"");
    }
  }
}

}  // namespace
}  // namespace pappus::levels

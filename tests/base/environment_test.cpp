// The table of environment variables is complete, and the manual knows all of it.
#include "base/environment.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/cache_folder.h"

namespace pappus::base {
namespace {

namespace fs = std::filesystem;

std::string text_of(const fs::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::set<std::string> names_in_table() {
  std::set<std::string> names;
  for (const auto& v : variables()) names.emplace(v.name);
  return names;
}

TEST(environment, is_asked_for_no_variable_that_the_table_lacks) {
  const fs::path src = fs::path(PAPPUS_SOURCE_DIR) / "src";
  const std::regex asked(R"re((?:getenv|environment)\("(PAPPUS_[A-Z_]+)"\))re");
  std::set<std::string> names;
  for (const auto& file : fs::recursive_directory_iterator(src)) {
    const auto path = file.path().lexically_relative(src).string();
    if (path.starts_with("compiler/") || !path.ends_with(".cpp")) continue;
    const auto text = text_of(file.path());
    EXPECT_EQ(text.find("getenv(") != std::string::npos, path == "base/environment.cpp") << path;
    for (std::sregex_iterator at(text.begin(), text.end(), asked), end; at != end; ++at)
      names.insert((*at)[1]);
  }
  EXPECT_EQ(names, names_in_table());
}

TEST(environment, is_in_the_manual_and_in_the_help) {
  const auto manual = text_of(fs::path(PAPPUS_SOURCE_DIR) / "docs" / "guides" / "environment.md");
  for (const auto& name : names_in_table()) {
    EXPECT_THAT(manual, ::testing::HasSubstr("`" + name + "`"));
    EXPECT_THAT(environment_help(), ::testing::HasSubstr("\n  " + name + " "));
  }
}

TEST(environment, takes_an_empty_variable_for_one_that_is_not_set) {
  ::setenv("PAPPUS_TEST_OF_ENVIRONMENT", "", 1);
  EXPECT_EQ(environment("PAPPUS_TEST_OF_ENVIRONMENT"), nullptr);
  ::setenv("PAPPUS_TEST_OF_ENVIRONMENT", "x", 1);
  EXPECT_STREQ(environment("PAPPUS_TEST_OF_ENVIRONMENT"), "x");
  ::unsetenv("PAPPUS_TEST_OF_ENVIRONMENT");
  EXPECT_EQ(environment("PAPPUS_TEST_OF_ENVIRONMENT"), nullptr);
}

TEST(cache_folder, follows_the_specification) {
  EXPECT_EQ(cache_folder("/xdg", "/home"), "/xdg/pappus");
  EXPECT_EQ(cache_folder("relative", "/home"), "/home/.cache/pappus");
  EXPECT_EQ(cache_folder(nullptr, "/home"), "/home/.cache/pappus");
  EXPECT_EQ(cache_folder("relative", "relative"), "");
  EXPECT_EQ(cache_folder(nullptr, nullptr), "");
}

}  // namespace
}  // namespace pappus::base

#include "demo/support/words.h"

#include <gtest/gtest.h>

namespace demo {
namespace {

std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words;
  each_word(text, [&](std::string_view word) { words.emplace_back(word); });
  return words;
}

TEST(each_word, visits_runs_of_letters_and_digits_in_order) {
  EXPECT_EQ(words_of("lib-foo2, C++ (bar)"), (std::vector<std::string>{"lib", "foo2", "C", "bar"}));
  EXPECT_EQ(words_of("one"), std::vector<std::string>{"one"});
  EXPECT_EQ(words_of("\xc3\xa9t\xc3\xa9 1"), (std::vector<std::string>{"\xc3\xa9t\xc3\xa9", "1"}));
  EXPECT_TRUE(words_of("").empty());
  EXPECT_TRUE(words_of(" - ").empty());
}

TEST(same_word, ignores_the_case_of_the_text_only) {
  EXPECT_TRUE(same_word("SoRt", "sort"));
  EXPECT_TRUE(same_word("", ""));
  EXPECT_FALSE(same_word("sort", "sorts"));
  EXPECT_FALSE(same_word("sort", "Sort"));
}

TEST(distinct_words, keeps_the_first_of_each_in_lower_case) {
  EXPECT_EQ(distinct_words({"Parallel sort", "PARALLEL-merge", "sort"}),
            (std::vector<std::string>{"parallel", "sort", "merge"}));
  EXPECT_TRUE(distinct_words({"", "--"}).empty());
}

}  // namespace
}  // namespace demo

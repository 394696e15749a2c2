#include "base/utf8.h"

#include <gtest/gtest.h>

#include <string>

namespace pappus::base {
namespace {

TEST(utf8, knows_text) {
  for (const std::string_view text :
       {"", "a", "twelve bytes", "\x7F", "\xC2\x80", "ÅÆØ €", "\xE0\xA0\x80", "\xED\x9F\xBF",
        "\xEF\xBF\xBF", "\xF0\x90\x80\x80", "\xF4\x8F\xBF\xBF", "eight..8\xC3\xA9 and behind it"})
    EXPECT_TRUE(is_utf8(text)) << text;
}

TEST(utf8, knows_what_is_none) {
  for (const std::string_view text :
       {"\x80", "\xC3", "\xC0\xAF", "\xC1\xBF", "\xE0\x9F\xBF", "\xED\xA0\x80", "\xF0\x8F\xBF\xBF",
        "\xF4\x90\x80\x80", "\xF5\x80\x80\x80", "\xFF", "\xE2\x82", "\xE2\x28\xA1",
        "eight..8and behind it \xFF", "eight..\xC3"})
    EXPECT_FALSE(is_utf8(text)) << text;
}

}  // namespace
}  // namespace pappus::base

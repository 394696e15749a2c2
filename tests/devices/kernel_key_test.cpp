#include "devices/kernel_key.h"

#include <gtest/gtest.h>

namespace pappus::devices {
namespace {

std::string key_of(const std::string& text, legible_parts legible) {
  return key_text({.name = "map on opencl:0",
                   .entry = "map_rows",
                   .text = std::make_shared<const std::string>(text),
                   .host = nullptr,
                   .host_context = nullptr,
                   .legible = std::make_shared<const legible_parts>(std::move(legible))});
}

/// A lambda of this line: its text names it in a title, a function, a table and a value.
std::string key_of_line(int line, const std::string& body) {
  const auto name = "k_cpp_" + std::to_string(line), title = "// k.cpp:" + std::to_string(line);
  return key_of(title + "\nCONSTANT int " + name + "_table0[] = {1, 2};\nDEVICE void " + name +
                    "(int* out) {\n  " + body + "\n  *out = " + name + "_table0[0];\n}\n",
                {.names = {name, name + "_table0"}, .lines = {title}});
}

TEST(kernel_key, is_the_same_after_a_lambda_moved) {
  EXPECT_EQ(key_of_line(18, "// one"), key_of_line(1234, "// one"));
}

TEST(kernel_key, is_the_same_whatever_lines_the_text_tells_of) {
  const std::string one = "  // k.cpp:19", other = "  // helper.h:3";
  EXPECT_EQ(key_of("f() {\n" + one + "\n  g();\n}\n", {.names = {}, .lines = {one}}),
            key_of("f() {\n  g();\n" + other + "\n}\n", {.names = {}, .lines = {other}}));
  EXPECT_EQ(key_of("f() {\n" + one + "\n  g();\n}\n", {.names = {}, .lines = {one}}),
            "f() {\n  g();\n}\n");
}

TEST(kernel_key, tells_texts_apart) {
  EXPECT_NE(key_of_line(18, "*out = 1;"), key_of_line(18, "*out = 2;"));
  EXPECT_NE(key_of_line(18, ""), key_of_line(18, "// k.cpp:19"));
  // Which of two names stands where matters.
  const legible_parts both{.names = {"a_1", "a_2"}, .lines = {}};
  EXPECT_NE(key_of("a_1(); a_2(); a_1();", both), key_of("a_1(); a_2(); a_2();", both));
  EXPECT_EQ(key_of("a_1(); a_2(); a_1();", both), key_of("a_2(); a_1(); a_2();", both));
}

TEST(kernel_key, takes_whole_words_for_names) {
  const legible_parts one{.names = {"a_1"}, .lines = {}};
  EXPECT_NE(key_of("a_1();", one), key_of("a_12();", one));
  EXPECT_NE(key_of("a_1();", one), key_of("b_a_1();", one));
  EXPECT_EQ(key_of("a_12 b_a_1 0xa_1\n", one), "a_12 b_a_1 0xa_1\n");
}

TEST(kernel_key, leaves_literals_as_they_are) {
  const legible_parts one{.names = {"a_1"}, .lines = {}};
  EXPECT_EQ(key_of("printf(\"a_1 \\\" a_1\", x);\n", one), "printf(\"a_1 \\\" a_1\", x);\n");
  EXPECT_NE(key_of("printf(\"\", a_1);\n", one), "printf(\"\", a_1);\n");
  EXPECT_EQ(key_of("// 5\" is no literal\\", one), "// 5\" is no literal\\\n");
}

TEST(kernel_key, is_the_text_where_that_asks_for_its_lines) {
  const legible_parts one{.names = {"a_1"}, .lines = {}};
  EXPECT_EQ(key_of("a_1(__LINE__);", one), "a_1(__LINE__);");
  EXPECT_EQ(key_of("a_1(__FILE__);", one), "a_1(__FILE__);");
}

TEST(kernel_key, is_the_text_where_nothing_is_for_readers) {
  kernel_source source;
  source.text = std::make_shared<const std::string>("a_1();");
  EXPECT_EQ(key_text(source), "a_1();");
}

}  // namespace
}  // namespace pappus::devices

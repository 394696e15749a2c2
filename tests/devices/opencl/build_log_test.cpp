// Where compilers' messages say that an error is.
#include "devices/opencl/build_log.h"

#include <gtest/gtest.h>

namespace pappus::devices::opencl {
namespace {

const char* const text =
    "#define KERNEL kernel\n"  // 1
    "\n"
    "#line 1 \"kernel\"\n"
    "typedef int number;\n"  // 4
    "#define add user_add\n"
    "#line 7 \"the text of add, given at a.cpp:3\"\n"
    "int add(int x);\n"  // 7
    "\n"
    "  #line 2\n"
    "int more;";  // 10

TEST(build_logs, of_compilers_that_count_the_whole_texts_lines_get_the_given_places) {
  EXPECT_EQ(with_given_places("<kernel>:7:34: error: conflicting types for 'user_add'\n"
                              "int add(int x);\n"
                              "<kernel>:4:13: note: declared here\n",
                              text),
            "the text of add, given at a.cpp:3:7:34: error: conflicting types for 'user_add'\n"
            "int add(int x);\n"
            "kernel:1:13: note: declared here\n");
  // A directive without a name keeps the one before.
  EXPECT_EQ(with_given_places("<kernel>:8: x; <kernel>:10: y", text),
            "the text of add, given at a.cpp:3:8: x; the text of add, given at a.cpp:3:2: y");
}

TEST(build_logs, keep_places_that_nothing_gives) {
  const char* const nowhere = "<kernel>:1:1: error: a\n<kernel>: b <kernel>:c";
  EXPECT_EQ(with_given_places(nowhere, text), nowhere);
  EXPECT_EQ(with_given_places("<kernel>:99:1: error", ""), "<kernel>:99:1: error");
  EXPECT_EQ(with_given_places("kernel:7:34: error", text), "kernel:7:34: error");
  EXPECT_EQ(with_given_places("", text), "");
}

TEST(build_logs, yield_the_line_of_their_first_error) {
  EXPECT_EQ(first_error("2 warnings\na:1: error: b\na:2: error: c\n"), ": a:1: error: b");
  EXPECT_EQ(first_error("error: at once"), ": error: at once");
  EXPECT_EQ(first_error("nothing"), "");
}

}  // namespace
}  // namespace pappus::devices::opencl
